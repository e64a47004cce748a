// A data directory of its own for tests that write specifications.
#pragma once

#include "source_dir.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace warpline::test {

class SpecFolder {
  public:
    SpecFolder() {
        static int made = 0;
        root_ = std::filesystem::temp_directory_path() /
                ("warpline_specs_" + std::to_string(getpid()) + "_" + std::to_string(made++));
        std::filesystem::create_directories(root_ / "hw_specs");
        std::filesystem::copy(std::filesystem::path(source_dir()) / "hw_specs", root_ / "hw_specs",
                              std::filesystem::copy_options::recursive);
    }
    ~SpecFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }
    SpecFolder(const SpecFolder&) = delete;
    SpecFolder& operator=(const SpecFolder&) = delete;

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(root_ / "hw_specs" / name) << text;
    }
    /// Writes a child of b200 with these lines below its header.
    void write_child(const std::string& name, const std::string& text) const {
        write(name + ".yaml", "schema: warpline-hardware/1\ntitle: test\ninherits: b200\n" + text);
    }
    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  private:
    std::filesystem::path root_;
};

}  // namespace warpline::test
