#include "cli/measure_kernels.hpp"

#include "cli/run_program.hpp"

#include <fstream>
#include <ostream>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

namespace fs = std::filesystem;

/// A program whose output is progress, not answer. Returns its status.
Result<int> run_loudly(const std::vector<std::string>& arguments, std::ostream& progress) {
    const auto done = run_to_end(arguments, "measuring kernels");
    if (!done) {
        return tl::unexpected(done.error());
    }
    progress << done->out << std::flush;
    return done->status;
}

/// Rows of a table, its header left out.
std::size_t rows_of(const fs::path& table) {
    std::ifstream file(table);
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) {
        lines += line.empty() ? 0U : 1U;
    }
    return lines == 0 ? 0 : lines - 1;
}

class KernelRuns {
  public:
    KernelRuns(const Measuring& measuring, const CudaGpu& gpu, std::ostream& progress)
        : at_(measuring),
          gpu_(gpu),
          progress_(progress),
          program_((measuring.build.folder / "warpline_attention").string()) {}

    Result<Measured> all() {
        if (auto built = build_cuda(at_.build, "warpline_attention", progress_); !built) {
            return tl::unexpected(built.error());
        }
        for (const auto step : {&KernelRuns::check, &KernelRuns::time, &KernelRuns::trace,
                                &KernelRuns::time_installed}) {
            if (const auto done = (this->*step)(); !done) {
                return tl::unexpected(done.error());
            }
        }
        return std::move(measured_);
    }

  private:
    Result<void> check() {
        std::vector<std::string> command{program_, "check"};
        if (at_.quick) {
            command.emplace_back("--quick");
        }
        const auto status = run_loudly(command, progress_);
        if (!status) {
            return tl::unexpected(status.error());
        }
        measured_.correct = *status == 0;
        measured_.remarks.emplace_back(
            measured_.correct
                ? "the project's kernels agree with double precision"
                : "the project's kernels are WRONG on this GPU, so they were not timed");
        return {};
    }

    /// Idle time between launches keeps the GPU below its power limit, and the clock steady.
    Result<void> time() {
        if (!measured_.correct) {
            return {};
        }
        for (const Kernel& kernel : kernels()) {
            const fs::path table = at_.output / (kernel.name + ".csv");
            std::vector<std::string> command{program_, "time",         "--rest",   "3",
                                             "--csv",  table.string(), "--kernel", kernel.name};
            if (at_.quick) {
                const auto brief = {"--seconds", "0.1",     "--warm-up",
                                    "1",         "--shape", "4,8,8,4096,4096"};
                command.insert(command.end(), brief.begin(), brief.end());
            }
            const auto status = run_loudly(command, progress_);
            if (!status) {
                return tl::unexpected(status.error());
            }
            take_table(table, kernel.name);
        }
        return {};
    }

    Result<void> trace() {
        if (!measured_.correct) {
            return {};
        }
        for (const Kernel& kernel : kernels()) {
            if (!kernel.traced) {
                continue;
            }
            const fs::path table = at_.output / fmt::format("timeline_{}.csv", kernel.name);
            const int heads = 2048 / kernel.head_dim;
            const auto status =
                run_loudly({program_, "timeline", "--kernel", kernel.name + "_timeline", "--shape",
                            fmt::format("1,{0},{0},4096,4096", heads), "--csv", table.string()},
                           progress_);
            if (!status) {
                return tl::unexpected(status.error());
            }
            if (*status == 0) {
                measured_.timelines.push_back(table);
            } else {
                measured_.remarks.push_back("no timeline of " + kernel.name);
            }
        }
        return {};
    }

    Result<void> time_installed() {
        const fs::path table = at_.output / "installed.csv";
        if (!find_on_path("python3")) {
            measured_.remarks.emplace_back("what Python has was not timed: there is no python3");
            return {};
        }
        std::vector<std::string> command{"python3",   (at_.installed / "measure.py").string(),
                                         "--rest",    "3",
                                         "--seconds", at_.quick ? "0.1" : "0.3",
                                         "--warm-up", at_.quick ? "0.5" : "1",
                                         "--csv",     table.string()};
        if (at_.quick) {
            const auto one = {"--head-dim", "128",     "--mask",
                              "full",       "--shape", "4,16,16,8192,8192"};
            command.insert(command.end(), one.begin(), one.end());
        }
        const auto status = run_loudly(command, progress_);
        if (!status || *status != 0) {
            measured_.remarks.emplace_back(
                "what Python has was not timed: python3 needs PyTorch and CUDA");
            return {};
        }
        take_table(table, "installed kernels");
        return {};
    }

    struct Kernel {
        std::string name;  ///< of warpline_attention
        int head_dim;
        bool traced;  ///< there is a variant with the timeline that is worth its row
    };

    /// Those that the pipeline files describe; the program has variations of them besides.
    [[nodiscard]] std::vector<Kernel> kernels() const {
        if (gpu_.arch == "90a") {
            return {{"hd64_full", 64, true},   {"hd64_causal", 64, false},
                    {"hd128_full", 128, true}, {"hd128_causal", 128, false},
                    {"hd256_full", 256, true}, {"hd256_causal", 256, false}};
        }
        return {{"sm100_hd64_full", 64, true},
                {"sm100_hd64_causal", 64, false},
                {"sm100_hd128_full", 128, true},
                {"sm100_hd128_causal", 128, true},
                {"sm100_hd128_pair_full", 128, true}};
    }

    void take_table(const fs::path& table, const std::string& what) {
        const std::size_t rows = rows_of(table);
        measured_.remarks.push_back(fmt::format("{} {} of {} in {}", rows,
                                                rows == 1 ? "row" : "rows", what, table.string()));
        if (rows > 0) {
            measured_.tables.push_back(table);
        }
    }

    const Measuring& at_;
    const CudaGpu& gpu_;
    std::ostream& progress_;
    std::string program_;
    Measured measured_;
};

}  // namespace

Result<Measured> measure_kernels(const Measuring& measuring, const CudaGpu& gpu,
                                 std::ostream& progress) {
    return KernelRuns(measuring, gpu, progress).all();
}

}  // namespace warpline::cli
