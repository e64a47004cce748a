#include "timeline_csv.hpp"

#include <fstream>
#include <limits>

namespace attention {
namespace {

constexpr int kCapacity = 1 << 14;  // records of a role in a CTA

struct Entry {
    std::string step;
    const char* edge;
    int blocks_on = 0;  // the entry is of the block so many after the mark's
};

// What a mark says, in the labels of the kernel's pipeline file. `overlap`: the kernel issues PV of
// a block after QK of the next.
std::vector<Entry> entries(const TimelineRecord& record, bool overlap) {
    const int block = record.block;
    const std::string copy = std::to_string(record.copy);
    switch (record.mark) {
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
        case Mark::kLoadQTile:
            return {{"load Q" + copy, "begin"}};
        case Mark::kLoadQTileIssued:
            return {{"load Q" + copy, "issued"}};
        case Mark::kQk:
            return {{"QK" + copy, "begin"}};
        case Mark::kQkHandedOver:
            return {{"QK" + copy, "issued"}};
        case Mark::kPvFirst:
            return {{"PV" + copy + " a", "begin"}};
        case Mark::kPvFirstIssued:
            return {{"PV" + copy + " a", "issued"}};
        case Mark::kPvLast:
            return {{"PV" + copy + " b", "begin"}};
        case Mark::kPvLastIssued:
            return {{"PV" + copy + " b", "issued"}};
        case Mark::kLoadS:
            return {{"load S", "begin"}};
        case Mark::kSLoaded:
            return {{"load S", "end"}, {"row max", "begin"}};
        case Mark::kRowMaximum:
            return {{"row max", "end"}, {"scale decision", "begin"}};
        case Mark::kDecided:
            return {{"scale decision", "end"}};
        case Mark::kFragment:
            return {{"exp and convert", "begin"}};
        case Mark::kFragmentDone:
            return {{"exp and convert", "end"}};
        case Mark::kRowSum:
            return {{"row sum", "begin"}};
        case Mark::kRowSumDone:
            return {{"row sum", "end"}};
        case Mark::kLoadO:
            return {{"load O", "begin"}};
        case Mark::kOLoadedToRescale:
            return {{"load O", "end"}, {"rescale O", "begin"}};
        case Mark::kORescaled:
            return {{"rescale O", "end"}};
        case Mark::kOLoadedToNormalise:
            return {{"load O", "end"}, {"normalise O", "begin"}};
        case Mark::kONormalised:
            return {{"normalise O", "end"}};
        case Mark::kStoreO:
            return {{"store O" + copy, "begin"}};
        case Mark::kStoreOIssued:
            return {{"store O" + copy, "issued"}};
    }
    return {};
}

}  // namespace

TimelineBuffer::TimelineBuffer(const Kernel& kernel, int ctas)
    : roles_(kernel.roles),
      overlap_(kernel.overlap),
      ctas_(ctas),
      records_(static_cast<std::size_t>(ctas) * kernel.roles.size() * kCapacity),
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
    const std::size_t of_cta = roles_.size() * kCapacity;
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
            for (const Entry& entry : entries(r, overlap_)) {
                out << roles_[i / kCapacity] << ',' << entry.step << ',' << entry.edge << ','
                    << r.tile << ',' << r.block + entry.blocks_on << ',' << r.clock - origin << ','
                    << cta << ',' << sm[static_cast<std::size_t>(cta)] << "\n";
            }
        }
    }
    micro::expect(out.good(), "cannot write " + path);
}

}  // namespace attention
