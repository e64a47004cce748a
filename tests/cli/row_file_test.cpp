#include "cli/row_file.hpp"

#include "cli/progress.hpp"
#include "temporary_folder.hpp"

#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace warpline;
using namespace warpline::cli;

namespace {

RowLayout layout(const std::string& run = "run1") {
    return {"index,run\n", [](std::int64_t i) { return fmt::format("{},", 5 + i); }, run,
            [](std::int64_t i, const std::string& line) {
                return line == fmt::format("{},run1", 5 + i) ? "" : "it is torn";
            }};
}

std::string row(std::int64_t i, const std::string& run = "run1") {
    return fmt::format("{},{}\n", 5 + i, run);
}

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace

TEST_CASE("wherever a run was cut off, going on gives the whole file") {
    const TemporaryFolder folder;
    const std::string whole = layout().header + row(0) + row(1) + row(2);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        const std::string path = folder / "rows.csv";
        write(path, whole.substr(0, cut));
        auto file = RowFile::resume(path, layout());
        REQUIRE(file);
        for (std::int64_t i = file->rows(); i < 3; ++i) {
            CHECK(file->append(row(i)));
        }
        CHECK(content(path) == whole);
    }
}

TEST_CASE("notes of somebody else are not taken for a line that was cut off") {
    const TemporaryFolder folder;
    const std::string path = folder / "rows.csv";
    for (const std::string& text :
         {std::string("my notes: do not lose"), std::string("index,run "),
          layout().header + "my notes", layout().header + row(0) + "7,run1"}) {
        CAPTURE(text);
        write(path, text);
        CHECK_FALSE(RowFile::resume(path, layout()));
        CHECK(content(path) == text);
    }
}

TEST_CASE("results are not overwritten, and not mixed with those of another run") {
    const TemporaryFolder folder;
    const std::string path = folder / "rows.csv";
    {
        auto file = RowFile::create(path, layout());
        REQUIRE(file);
        CHECK(file->append(row(0)));
    }
    CHECK_FALSE(RowFile::create(path, layout()));
    CHECK_FALSE(RowFile::resume(path, layout("run2")));
    RowLayout other = layout();
    other.header = "index,other,run\n";
    CHECK_FALSE(RowFile::resume(path, other));
    write(path, layout().header + row(0) + row(2));
    const auto gap = RowFile::resume(path, layout());
    REQUIRE_FALSE(gap);
    CHECK(gap.error().text().find("line 3") != std::string::npos);
    // Wherever it is, and whatever is right behind it.
    const std::string torn = layout().header + row(0) + "6,run1,\n" + row(2) + "8,ru";
    write(path, torn);
    const auto damaged = RowFile::resume(path, layout());
    REQUIRE_FALSE(damaged);
    CHECK(damaged.error().text().find("line 3 is damaged: it is torn") != std::string::npos);
    CHECK(content(path) == torn);
    CHECK_FALSE(RowFile::create("/nonexistent/rows.csv", layout()));
    CHECK_FALSE(RowFile::resume("/nonexistent/rows.csv", layout()));
    CHECK_FALSE(RowFile::resume(folder / "", layout()));
}

TEST_CASE("a full disk is told, and leaves no broken line") {
    auto full = RowFile::create("/dev/full", {"", layout().beginning, "run1", layout().problem});
    REQUIRE(full);
    CHECK_FALSE(full->append(row(0)));
    CHECK(full->rows() == 0);
}

TEST_CASE("progress says how many, how fast and how long") {
    CHECK(Progress::line(0, 10, 0.0) == "0 of 10");
    CHECK(Progress::line(100, 1000, 10.0) == "100 of 1000, 10 a second, 90 s left");
    CHECK(Progress::line(0, 36000, 1.0) == "0 of 36000, 1 a second, 10.0 h left");
}
