#include "ran_command.hpp"
#include "source_dir.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

using namespace warpline;
using test::contains;
using test::Ran;
using test::run;

namespace {

/// A table of rows that ran far faster than the hardware can.
class FastRows {
  public:
    FastRows()
        : folder_(std::filesystem::temp_directory_path() /
                  ("warpline_calibrate_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
        std::ofstream out(table());
        out << "source,gpu,sm_clock_mhz,clock_evidence,kernel,version,built,dtype,direction,"
               "head_dim_qk,head_dim_v,batch,heads_q,heads_kv,seqlen_q,seqlen_kv,mask,window,"
               "deterministic,time_ms,time_min_ms,tflops,mean_active_cycles,tensor_cycles,"
               "fma_cycles,xu_warp_instructions,note\n";
        for (const int length : {512, 640, 768}) {
            out << "made,b200,1700,locked,fa4_fwd,,,bf16,fwd,128,128,1,16,16," << length << ","
                << length << ",full,,,0.001,,,,,,,\n";
        }
    }
    ~FastRows() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    FastRows(const FastRows&) = delete;
    FastRows& operator=(const FastRows&) = delete;

    [[nodiscard]] std::string table() const { return (folder_ / "fast.csv").string(); }
    [[nodiscard]] std::string overlay() const { return (folder_ / "overlay.yaml").string(); }

  private:
    std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("calibrate says what it wants") {
    const FastRows rows;
    CHECK(run({"calibrate", rows.table()}).code == 2);
    CHECK(contains(run({"calibrate", rows.table()}).err, "--fit"));
    const Ran unknown = run({"calibrate", rows.table(), "--fit", "sync.cta_begin,smem.width"});
    CHECK(unknown.code == 2);
    CHECK(unknown.out.empty());
    CHECK(contains(unknown.err, "did you mean sync."));
    CHECK(contains(unknown.err, "smem.width states no interval"));
    const Ran unseen = run({"calibrate", rows.table(), "--fit", "mma.mma_sync.base_latency"});
    CHECK(unseen.code == 3);
    CHECK(unseen.out.empty());
    CHECK(contains(unseen.err, "no row sees mma.mma_sync.base_latency"));
}

TEST_CASE("a calibration that a bound decides is told in full, fails, and leaves no file") {
    const FastRows rows;
    const Ran ran =
        run({"calibrate", rows.table(), "--fit", "sync.cta_start", "-o", rows.overlay()});
    CHECK(ran.code == 3);
    CHECK(contains(ran.out, "rests on the low end"));
    CHECK(contains(ran.out, "calibration (fitted)"));
    CHECK(contains(ran.out, "overlay.yaml is not written"));
    CHECK_FALSE(std::filesystem::exists(rows.overlay()));
}
