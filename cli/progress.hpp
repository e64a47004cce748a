// How far a long run is: one line that is written over on a terminal, lines now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace warpline::cli {

class Progress {
  public:
    /// `done` of `total` are there from before.
    Progress(std::ostream& out, bool terminal, std::int64_t done, std::int64_t total);

    /// `done` are there now. Writes nothing when it wrote a short while ago.
    void report(std::int64_t done);
    /// Ends the line on a terminal.
    void finish();

    /// "1234 of 10000, 410 a second, 21 s left".
    [[nodiscard]] static std::string line(std::int64_t done, std::int64_t total, double rate);

  private:
    using Clock = std::chrono::steady_clock;

    std::ostream& out_;
    bool terminal_;
    std::int64_t before_, total_;
    Clock::time_point begin_, last_;
    bool written_ = false;
};

}  // namespace warpline::cli
