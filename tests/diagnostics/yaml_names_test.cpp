#include "warpline/diagnostics/yaml_names.hpp"

#include "temporary_folder.hpp"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("the files of a folder are named, and what is no file is not") {
    const TemporaryFolder folder;
    for (const char* name : {"b.yaml", "a.yaml", "notes.txt", ".yaml"}) {
        std::ofstream(folder / name) << "a: 1\n";
    }
    std::filesystem::create_symlink("a.yaml", folder / "linked.yaml");
    std::filesystem::create_symlink("nowhere.yaml", folder / "dangling.yaml");
    std::filesystem::create_directory(folder / "folder.yaml");
    CHECK(yaml_names(folder.path()) == std::vector<std::string>{"a", "b", "linked"});
    CHECK(yaml_names(folder / "nowhere").empty());
}
