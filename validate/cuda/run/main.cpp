// warpline_attention: checks, times and traces the attention kernels on the GPU at hand.
#include "correctness.hpp"
#include "timeline_csv.hpp"
#include "timing.hpp"

#include <cmath>
#include <fstream>
#include <random>

namespace attention {
namespace {

constexpr int kExitUsage = 2;

constexpr const char* kUsage =
    R"(warpline_attention list
warpline_attention check    [--kernel NAME] [--quick]
warpline_attention time     [--kernel NAME] [--shape B,HQ,HKV,SQ,SKV]... [--csv FILE]
                            [--grid persistent|tiles] [--seconds S] [--warm-up S] [--flush-l2]
                            [--rest R] [--allow-clock-change]
warpline_attention timeline --kernel NAME [--shape ...] [--ctas N] --csv FILE [--grid ...]

check: small shapes, ragged ones included, against a double-precision reference.
time: median time of one launch; a row is not written when the clock moved by more than 3 %
  within it, unless --allow-clock-change. Some rows of each shape are checked first.
  --rest R idles R times a launch after each, so that power does not limit the clock.
  Without --shape: 32768 tokens and 2048 columns of heads at 1024 to 16384 tokens a sequence.
timeline: what the roles of the first CTAs do when, of a kernel whose name ends in _timeline; and
  what the stamps cost.
NAME is a kernel's name or the beginning of several; without --kernel all but _timeline are taken.
)";

struct CommandLine {
    std::string command;
    std::string kernel;
    std::vector<Shape> shapes;
    std::string csv;
    std::string grid;  // empty: persistent unless causal
    TimingSettings timing;
    int ctas = 1;
    bool quick = false;
};

[[noreturn]] void refuse(const std::string& what) {
    std::fprintf(stderr, "%s\n\n%s", what.c_str(), kUsage);
    std::exit(kExitUsage);
}

Shape parse_shape(const std::string& text) {
    Shape s;
    char rest = 0;
    const int fields = std::sscanf(text.c_str(), "%d,%d,%d,%d,%d%c", &s.batch, &s.heads_q,
                                   &s.heads_kv, &s.seqlen_q, &s.seqlen_kv, &rest);
    const bool whole = fields == 5 && s.batch > 0 && s.heads_q > 0 && s.heads_kv > 0 &&
                       s.heads_q % s.heads_kv == 0 && s.seqlen_q > 0 && s.seqlen_kv > 0;
    if (!whole) {
        refuse("--shape '" + text +
               "': wanted five positive numbers B,HQ,HKV,SQ,SKV, HQ a multiple of HKV");
    }
    return s;
}

CommandLine parse(const std::vector<std::string>& words) {
    if (words.empty())
        refuse("no command");
    CommandLine line;
    line.command = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& option = words[i];
        const auto value = [&]() -> const std::string& {
            if (i + 1 == words.size())
                refuse(option + " wants a value");
            return words[++i];
        };
        if (option == "--kernel")
            line.kernel = value();
        else if (option == "--shape")
            line.shapes.push_back(parse_shape(value()));
        else if (option == "--csv")
            line.csv = value();
        else if (option == "--grid")
            line.grid = value();
        else if (option == "--seconds")
            line.timing.measure_s = std::atof(value().c_str());
        else if (option == "--warm-up")
            line.timing.warm_up_s = std::atof(value().c_str());
        else if (option == "--rest")
            line.timing.rest = std::atof(value().c_str());
        else if (option == "--ctas")
            line.ctas = std::atoi(value().c_str());
        else if (option == "--quick")
            line.quick = true;
        else if (option == "--flush-l2")
            line.timing.flush_l2 = true;
        else if (option == "--allow-clock-change")
            line.timing.allow_clock_change = true;
        else
            refuse("unknown option '" + option + "'");
    }
    if (!line.grid.empty() && line.grid != "persistent" && line.grid != "tiles")
        refuse("--grid '" + line.grid + "': wanted persistent or tiles");
    return line;
}

bool persistent(const CommandLine& line, const Kernel& kernel) {
    return line.grid.empty() ? !kernel.causal : line.grid == "persistent";
}

// Everything that was compiled in.
std::vector<Kernel> all_kernels() {
    std::vector<Kernel> all;
    const auto add = [&](const std::vector<Kernel>& group) {
        all.insert(all.end(), group.begin(), group.end());
    };
#ifdef WARPLINE_HAS_sm90
    add(sm90_head_dim_64());
    add(sm90_head_dim_128());
    add(sm90_head_dim_256());
    add(sm90_ablations());
#endif
#ifdef WARPLINE_HAS_sm100
    add(sm100_kernels());
#endif
    return all;
}

// Those the command line names and the GPU can run.
std::vector<Kernel> chosen_kernels(const CommandLine& line, const micro::Bench& bench) {
    std::vector<Kernel> chosen;
    for (const Kernel& kernel : all_kernels()) {
        if (kernel.capability / 10 != bench.gpu().major)
            continue;
        if (kernel.name == line.kernel)
            return {kernel};
        const bool named = kernel.name.compare(0, line.kernel.size(), line.kernel) == 0;
        if (named && (!line.kernel.empty() || !kernel.timeline))
            chosen.push_back(kernel);
    }
    if (chosen.empty())
        refuse("no kernel for this GPU has a name that begins with '" + line.kernel +
               "'; see warpline_attention list");
    return chosen;
}

std::vector<Shape> shapes_for(const CommandLine& line, const Kernel& kernel) {
    std::vector<Shape> shapes = line.shapes;
    if (shapes.empty()) {
        const int heads = 2048 / kernel.head_dim;
        for (int tokens = 1024; tokens <= 16384; tokens *= 2)
            shapes.push_back({32768 / tokens, heads, heads, tokens, tokens});
    }
    for (Shape& shape : shapes)
        shape.causal = kernel.causal;
    return shapes;
}

int list(const CommandLine& line, const micro::Bench& bench) {
    for (const Kernel& kernel : chosen_kernels(line, bench)) {
        cudaFuncAttributes attributes{};
        micro::check(cudaFuncGetAttributes(&attributes, kernel.function));
        std::printf("%-36s %d threads, %d bytes of shared memory, %zu bytes of local memory\n",
                    kernel.name.c_str(), kernel.threads, kernel.shared_bytes,
                    attributes.localSizeBytes);
    }
    return 0;
}

int check_all(const CommandLine& line, const micro::Bench& bench) {
    int bad = 0;
    for (const Kernel& kernel : chosen_kernels(line, bench))
        bad += check_small_shapes(kernel, bench.sms(), std::random_device{}(), line.quick);
    std::printf(bad == 0 ? "all good\n" : "%d WRONG\n", bad);
    return bad == 0 ? 0 : 1;
}

// One shape; false when the row was wrong or withheld.
bool time_shape(const CommandLine& line, const micro::Bench& bench, const Kernel& kernel,
                const Shape& shape, std::ofstream& csv) {
    TimingSettings settings = line.timing;
    settings.persistent = persistent(line, kernel);
    prepare(kernel);
    DeviceProblem problem(shape, kernel.head_dim, std::random_device{}());
    const Errors errors =
        compare_with_reference(kernel, problem, settings.persistent, bench.sms(), 64);
    if (!errors.good()) {
        std::printf("BAD  %s: relative error %.2e, worst %.2e, log sum %.1e, wrong %lld\n",
                    kernel.name.c_str(), errors.relative, errors.worst, errors.log_sum,
                    errors.wrong);
        return false;
    }
    const Timing t = time_kernel(kernel, problem, bench, settings);
    const double rate = flop(shape, kernel.head_dim) / t.median_ms * 1e-9;
    std::printf(
        "%-30s b%-2d h%d/%d q%-6d kv%-6d %s %9.4f ms %6.1f TFLOP/s at %4.0f MHz "
        "(moved %.1f %%) %3.0f W, error %.1e\n",
        kernel.name.c_str(), shape.batch, shape.heads_q, shape.heads_kv, shape.seqlen_q,
        shape.seqlen_kv, settings.persistent ? "P" : "T", t.median_ms, rate, t.clock_mhz,
        100 * t.clock_change, t.power_w, errors.relative);
    std::fflush(stdout);
    if (t.clock_change > 0.03 && !settings.allow_clock_change) {
        std::printf(
            "     no row: the clock moved by more than 3 %%; --allow-clock-change "
            "reports it all the same\n");
        return false;
    }
    if (csv.is_open())
        csv << measured_row(kernel, problem, bench, settings, t) << std::flush;
    return true;
}

int time_all(const CommandLine& line, const micro::Bench& bench) {
    std::ofstream csv;
    if (!line.csv.empty()) {
        csv.open(line.csv);
        csv << measured_header();
    }
    bool good = true;
    for (const Kernel& kernel : chosen_kernels(line, bench)) {
        for (const Shape& shape : shapes_for(line, kernel))
            good = time_shape(line, bench, kernel, shape, csv) && good;
    }
    return good ? 0 : 1;
}

// The same kernel without the timeline, by its name.
std::string plain_name(const std::string& name) {
    return name.substr(0, name.rfind("_timeline"));
}

std::string whole(double value) {
    return std::to_string(std::llround(value));
}

int write_timeline(const CommandLine& line, const micro::Bench& bench) {
    const std::vector<Kernel> kernels = chosen_kernels(line, bench);
    if (line.csv.empty() || kernels.size() != 1)
        refuse("timeline wants --csv FILE and the --kernel of exactly one kernel");
    const Kernel& kernel = kernels[0];
    CommandLine of_plain = line;
    of_plain.kernel = plain_name(kernel.name);
    const Kernel plain = chosen_kernels(of_plain, bench)[0];
    const Shape shape = shapes_for(line, kernel)[0];
    const DeviceProblem problem(shape, kernel.head_dim, 1);
    TimingSettings settings = line.timing;
    settings.persistent = persistent(line, kernel);

    const Timing without = time_kernel(plain, problem, bench, settings);
    TimelineBuffer buffer(kernel, bench.sms());  // every CTA of a first wave stamps
    settings.timeline = buffer.view();
    const Timing with = time_kernel(kernel, problem, bench, settings);

    // The launch that is kept comes right after warm ones, with the buffer emptied between.
    Arguments arguments = problem.arguments(kernel);
    arguments.timeline = buffer.view();
    buffer.clear();
    kernel.launch(arguments, grid_size(kernel, arguments, settings.persistent, bench.sms()));
    micro::check(cudaDeviceSynchronize());

    int runtime = 0;
    micro::check(cudaRuntimeGetVersion(&runtime));
    const double cycles_without = without.median_ms * without.clock_mhz * 1e3;
    const double cycles_with = with.median_ms * with.clock_mhz * 1e3;
    // What `warpline compare --timeline` reads; see validate/measured/README.md.
    TimelineHead head{
        {"gpu: " + gpu_id(bench.gpu().name), "kernel: " + kernel.pipeline,
         "head_dim: " + std::to_string(kernel.head_dim), "batch: " + std::to_string(shape.batch),
         "heads_q: " + std::to_string(shape.heads_q), "heads_kv: " + std::to_string(shape.heads_kv),
         "seqlen_q: " + std::to_string(shape.seqlen_q),
         "seqlen_kv: " + std::to_string(shape.seqlen_kv),
         std::string("mask: ") + (shape.causal ? "causal" : "full")}};
    for (const auto& [parameter, value] : kernel.settings)
        head.lines.push_back("set: " + parameter + "=" + std::to_string(value));
    head.lines.push_back(std::string("set: persistent=") + (settings.persistent ? "1" : "0"));
    head.lines.push_back(
        std::string("note: ") + bench.gpu().name + ", driver " + bench.nvml().driver_version() +
        ", CUDA " + std::to_string(runtime / 1000) + "." + std::to_string(runtime % 1000 / 10) +
        ", " + today() + ", SM clock " + whole(with.clock_mhz) + " MHz");
    head.lines.push_back("launch_cycles: " + whole(cycles_without));
    head.lines.push_back("launch_cycles_stamped: " + whole(cycles_with));
    head.lines.push_back("note: every CTA of the first wave stamps");
    buffer.write(line.ctas, head, line.csv);
    for (const std::string& text : head.lines)
        std::printf("%s\n", text.c_str());
    return 0;
}

int run(const CommandLine& line) {
    const micro::Bench bench("warpline_attention");
    bench.require({90, 100, 103});
    if (line.command == "list")
        return list(line, bench);
    if (line.command == "check")
        return check_all(line, bench);
    if (line.command == "time")
        return time_all(line, bench);
    if (line.command == "timeline")
        return write_timeline(line, bench);
    refuse("unknown command '" + line.command + "'");
}

}  // namespace
}  // namespace attention

int main(int argc, char** argv) {
    return attention::run(attention::parse({argv + 1, argv + argc}));
}
