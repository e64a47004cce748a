#include "cli/output_files.hpp"

#include "warpline/reports/text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

namespace fs = std::filesystem;

struct Staged {
    fs::path from;
    fs::path to;
};

tl::unexpected<Failure> cannot_write(const std::string& path, const std::string& why) {
    return fail(FailureKind::input, fmt::format("{} cannot be written: {}", printable(path), why));
}

bool write(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    return file.good();
}

void discard(const std::vector<Staged>& staged) {
    for (const Staged& file : staged) {
        std::error_code ignored;
        fs::remove(file.from, ignored);
    }
}

}  // namespace

Result<void> write_files(const std::vector<OutputFile>& files) {
    std::set<fs::path> seen;
    std::vector<Staged> staged;
    std::vector<const OutputFile*> direct;
    for (const OutputFile& file : files) {
        std::error_code error;
        // A link stays a link: what it points to is replaced.
        fs::path target = fs::weakly_canonical(file.path, error);
        if (error || file.path.empty() || fs::is_directory(target, error)) {
            discard(staged);
            return cannot_write(file.path, "it is not a file name");
        }
        if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
            direct.push_back(&file);
            continue;
        }
        if (!seen.insert(target).second) {
            discard(staged);
            return cannot_write(file.path, "two outputs go to it");
        }
        fs::path temporary = target;
        temporary += fmt::format(".{}.tmp", getpid());
        staged.push_back({temporary, target});
        if (!write(temporary, file.text)) {
            discard(staged);
            return cannot_write(file.path, "no permission, no such folder, or no space");
        }
    }
    for (const Staged& file : staged) {
        std::error_code error;
        fs::rename(file.from, file.to, error);
        if (error) {
            discard(staged);
            return cannot_write(file.to.string(), error.message());
        }
    }
    for (const OutputFile* const file : direct) {
        if (!write(file->path, file->text)) {
            return cannot_write(file->path, "writing failed");
        }
    }
    return {};
}

Result<std::string> deliver(std::vector<OutputFile> files, std::string text) {
    const auto first_file = std::stable_partition(
        files.begin(), files.end(), [](const OutputFile& file) { return file.path == "-"; });
    if (first_file - files.begin() > 1) {
        return fail(FailureKind::usage, "two outputs go to standard output (-)",
                    "name a file for one of them");
    }
    if (first_file != files.begin()) {
        text = std::move(files.front().text);
        files.erase(files.begin());
    }
    if (const Result<void> written = write_files(files); !written) {
        return tl::unexpected(written.error());
    }
    return text;
}

}  // namespace warpline::cli
