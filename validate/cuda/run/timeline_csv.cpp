#include "timeline_csv.hpp"

#include <fstream>
#include <limits>

namespace attention {
namespace {

constexpr int kCapacity = 1 << 14;  // records of a role in a CTA

struct Entry {
    const char* step;
    const char* edge;
    int blocks_on = 0;  // the entry is of the block so many after the mark's
};

// What a mark says, in the labels of pipelines/warpline_sm90_fwd.yaml. `overlap`: the kernel issues
// PV of a block after QK of the next.
std::vector<Entry> entries(Mark mark, int block, bool overlap) {
    switch (mark) {
        case Mark::kCost:
            return {{"stamp cost", block == 0 ? "begin" : "end", -block}};
        case Mark::kTile:
            return {{"tile", "begin"}};
        case Mark::kQWait:
            return {{"wait Q", "begin"}};
        case Mark::kQReady:
            return {{"wait Q", "end"}};
        case Mark::kKWait:
            return {{"wait K", "begin"}};
        case Mark::kKReady:
            return {{"wait K", "end"}, {"turn", "begin"}};
        case Mark::kTurn:
            return {{"turn", "end"}, {"QK", "begin"}};
        case Mark::kQkIssued:
            if (overlap && block > 0)
                return {{"QK", "issued"}, {"wait V", "begin", -1}};
            return {{"QK", "issued"}};
        case Mark::kVWait:
            return {{"wait V", "begin"}};
        case Mark::kVReady:
            return {{"wait V", "end"}, {"PV", "begin"}};
        case Mark::kPvIssued:
            return {{"PV", "issued"}};
        case Mark::kQkDone:
            return {{"QK", "end"}, {"softmax", "begin"}};
        case Mark::kSoftmaxDone:
            if (overlap)
                return {{"softmax", "end"}};
            return {{"softmax", "end"}, {"rescale O", "begin"}};
        case Mark::kPvDone:
            if (overlap)
                return {{"PV", "end"}, {"rescale O", "begin", 1}};
            return {{"PV", "end"}};
        case Mark::kRescaled:
            return {{"rescale O", "end"}};
        case Mark::kAllDone:
            return {{"normalise O", "begin"}};
        case Mark::kNormalised:
            return {{"normalise O", "end"}, {"store O", "begin"}};
        case Mark::kStored:
            return {{"store O", "end"}, {"tile", "end"}};
        case Mark::kLoadQ:
            return {{"load Q", "begin"}};
        case Mark::kLoadQIssued:
            return {{"load Q", "issued"}};
        case Mark::kLoadK:
            return {{"load K", "begin"}};
        case Mark::kLoadKIssued:
            return {{"load K", "issued"}};
        case Mark::kLoadV:
            return {{"load V", "begin"}};
        case Mark::kLoadVIssued:
            return {{"load V", "issued"}};
    }
    return {};
}

std::string role_name(int role) {
    return role == 0 ? "load" : "consumer[" + std::to_string(role - 1) + "]";
}

}  // namespace

TimelineBuffer::TimelineBuffer(const Kernel& kernel, int ctas)
    : roles_(1 + kernel.consumers),
      overlap_(kernel.overlap),
      ctas_(ctas),
      records_(static_cast<std::size_t>(ctas) * static_cast<std::size_t>(roles_) * kCapacity),
      sm_(static_cast<std::size_t>(ctas)) {
    if (!kernel.timeline)
        micro::fail(kernel.name + " is not compiled with the timeline");
}

TimelineView TimelineBuffer::view() const {
    return {records_.get(), sm_.get(), ctas_, kCapacity};
}

void TimelineBuffer::clear() {
    records_.poison(0);
}

void TimelineBuffer::write(int ctas, const TimelineHead& head, const std::string& path) const {
    std::ofstream out(path);
    for (const std::string& line : head.lines)
        out << "# " << line << "\n";
    out << "role,step,edge,tile,block,clock,cta,sm\n";
    const std::vector<TimelineRecord> all = records_.host();
    const std::vector<unsigned> sm = sm_.host();
    const std::size_t of_cta = static_cast<std::size_t>(roles_) * kCapacity;
    for (int cta = 0; cta < std::min(ctas, ctas_); ++cta) {
        const TimelineRecord* const first = all.data() + static_cast<std::size_t>(cta) * of_cta;
        unsigned long long origin = std::numeric_limits<unsigned long long>::max();
        for (std::size_t i = 0; i < of_cta; ++i) {
            if (first[i].clock != 0)
                origin = std::min(origin, first[i].clock);
        }
        for (std::size_t i = 0; i < of_cta; ++i) {
            const TimelineRecord& r = first[i];
            if (r.clock == 0)
                continue;
            for (const Entry& entry : entries(r.mark, r.block, overlap_)) {
                out << role_name(static_cast<int>(i / kCapacity)) << ',' << entry.step << ','
                    << entry.edge << ',' << r.tile << ',' << r.block + entry.blocks_on << ','
                    << r.clock - origin << ',' << cta << ',' << sm[static_cast<std::size_t>(cta)]
                    << "\n";
            }
        }
    }
    micro::expect(out.good(), "cannot write " + path);
}

}  // namespace attention
