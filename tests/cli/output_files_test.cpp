#include "cli/output_files.hpp"

#include "temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

using namespace warpline::cli;
using warpline::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("files are written in full and leave nothing beside them") {
    const TemporaryFolder folder;
    REQUIRE(write_files({{folder / "a", "one\n"}, {folder / "b", ""}}));
    CHECK(content(folder / "a") == "one\n");
    CHECK(fs::exists(folder / "b"));
    REQUIRE(write_files({{folder / "a", "two\n"}}));
    CHECK(content(folder / "a") == "two\n");
    CHECK(folder.files() == 2);
}

TEST_CASE("when one file cannot be written none is") {
    const TemporaryFolder folder;
    REQUIRE(write_files({{folder / "a", "old"}}));
    for (const std::string& bad : {folder / "none/b", folder / ".", std::string()}) {
        INFO(bad);
        const auto written = write_files({{folder / "a", "new"}, {bad, "x"}});
        REQUIRE_FALSE(written);
        CHECK(written.error().kind == warpline::FailureKind::input);
        CHECK(content(folder / "a") == "old");
        CHECK(folder.files() == 1);
    }
}

TEST_CASE("two outputs may not go to one file, under whatever names") {
    const TemporaryFolder folder;
    CHECK_FALSE(write_files({{folder / "a", "1"}, {folder / "./a", "2"}}));
    CHECK(folder.files() == 0);
}

TEST_CASE("a link stays a link, and a device is written to") {
    const TemporaryFolder folder;
    REQUIRE(write_files({{folder / "a", "old"}}));
    fs::create_symlink(folder / "a", folder / "link");
    REQUIRE(write_files({{folder / "link", "new"}}));
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(content(folder / "a") == "new");
    REQUIRE(write_files({{"/dev/null", "x"}, {"/dev/null", "y"}}));
    CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a file named - is standard output, in place of the text") {
    const TemporaryFolder folder;
    CHECK(deliver({{folder / "a", "one"}}, "text").value() == "text");
    CHECK(deliver({{folder / "a", "two"}, {"-", "json"}}, "text").value() == "json");
    CHECK(content(folder / "a") == "two");
    CHECK_FALSE(fs::exists("-"));
    const auto both = deliver({{"-", "json"}, {folder / "b", "x"}, {"-", "csv"}}, "text");
    REQUIRE_FALSE(both);
    CHECK(both.error().kind == warpline::FailureKind::usage);
    CHECK(folder.files() == 1);
}
