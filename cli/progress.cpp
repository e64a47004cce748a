#include "cli/progress.hpp"

#include <ostream>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

constexpr double terminal_seconds = 0.2, plain_seconds = 10.0;
constexpr double minute = 60.0, hour = 3600.0;

std::string left_text(double seconds) {
    if (seconds < 2.0 * minute) {
        return fmt::format("{:.0f} s", seconds);
    }
    return seconds < 2.0 * hour ? fmt::format("{:.0f} min", seconds / minute)
                                : fmt::format("{:.1f} h", seconds / hour);
}

}  // namespace

Progress::Progress(std::ostream& out, bool terminal, std::int64_t done, std::int64_t total)
    : out_(out),
      terminal_(terminal),
      before_(done),
      total_(total),
      begin_(Clock::now()),
      last_(begin_) {}

std::string Progress::line(std::int64_t done, std::int64_t total, double rate) {
    std::string text = fmt::format("{} of {}", done, total);
    if (rate > 0.0) {
        text += fmt::format(", {:.3g} a second, {} left", rate,
                            left_text(static_cast<double>(total - done) / rate));
    }
    return text;
}

void Progress::report(std::int64_t done) {
    const Clock::time_point now = Clock::now();
    const double since = std::chrono::duration<double>(now - last_).count();
    if (since < (terminal_ ? terminal_seconds : plain_seconds)) {
        return;
    }
    last_ = now;
    written_ = true;
    const double all = std::chrono::duration<double>(now - begin_).count();
    const std::string text = line(done, total_, static_cast<double>(done - before_) / all);
    out_ << (terminal_ ? "\r\x1b[K" : "") << text << (terminal_ ? "" : "\n") << std::flush;
}

void Progress::finish() {
    if (terminal_ && written_) {
        out_ << "\r\x1b[K" << std::flush;
    }
}

}  // namespace warpline::cli
