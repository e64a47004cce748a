#include "warpline/diagnostics/yaml_documents.hpp"

#include "temporary_folder.hpp"

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("a file is parsed once while it does not change") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder / "a.yaml";
    write(file, "a: 1\n");
    YamlDocuments documents;
    const auto first = documents.read(file);
    REQUIRE(first.has_value());
    CHECK((*first)->text == "a: 1\n");
    CHECK((*first)->root.find("a")->scalar == "1");
    CHECK(*documents.read(file) == *first);
    write(file, "a: 1\n");  // younger, but the same
    CHECK(*documents.read(file) == *first);
    CHECK(is_current(**first));
}

TEST_CASE(
    "an edit is seen, also one that keeps the size, and earlier documents stay as they were") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder / "a.yaml";
    write(file, "a: 1\n");
    YamlDocuments documents;
    const auto before = documents.read(file);
    write(file, "a: 2\n");
    CHECK_FALSE(is_current(**before));
    const auto after = documents.read(file);
    REQUIRE(after.has_value());
    CHECK((*after)->root.find("a")->scalar == "2");
    CHECK((*before)->root.find("a")->scalar == "1");
}

TEST_CASE("errors say where, and are forgotten when the file is right") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder / "a.yaml";
    YamlDocuments documents;
    CHECK(documents.read(file).error().text().find("no such file") != std::string::npos);
    write(file, "a: 1\nb: *x\n");
    const auto wrong = documents.read(file);
    REQUIRE_FALSE(wrong.has_value());
    CHECK(wrong.error().text().find(file.string() + ":2:4: ") != std::string::npos);
    write(file, "a: 1\nb: 2\n");
    CHECK(documents.read(file).has_value());
    std::filesystem::remove(file);
    CHECK_FALSE(documents.read(file).has_value());
}

TEST_CASE("threads share documents, also while a file changes") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder / "a.yaml";
    const std::filesystem::path other = folder / "b.yaml";
    write(file, "a: 1\n");
    write(other, "a: 1\n");
    YamlDocuments documents;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 50; ++n) {
                const auto document = documents.read(file);
                static_cast<void>(documents.read(other));
                if (!document || (*document)->root.find("a")->scalar != "1") {
                    ++wrong;
                }
            }
        });
    }
    for (int n = 0; n < 50; ++n) {
        write(other, n % 2 == 0 ? "a: 2\n" : "a: 1\n");
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
    CHECK(*documents.read(file) == *documents.read(file));
}
