// Records of what each role does when. See README.md for the steps.
#pragma once

#include <cstdint>

namespace attention {

// An instant in a role's program. Where one step ends as the next begins there is one mark, not
// two, since each costs time; the table that is written names both (timeline_csv.cpp).
enum class Mark : std::uint16_t {
    kCost,  // two of them, with nothing between
    kTile,
    kQWait,
    kQReady,
    kKWait,
    kKReady,
    kTurn,
    kQkIssued,
    kVWait,
    kVReady,
    kPvIssued,
    kQkDone,
    kSoftmaxDone,
    kPvDone,
    kRescaled,
    kAllDone,
    kNormalised,
    kStored,
    kLoadQ,
    kLoadQIssued,
    kLoadK,
    kLoadKIssued,
    kLoadV,
    kLoadVIssued,
    // Of the Blackwell kernel, in the labels of pipelines/fa4_fwd.yaml; `copy` is the query tile.
    kLoadQTile,
    kLoadQTileIssued,
    kQk,
    kQkHandedOver,
    kPvFirst,
    kPvFirstIssued,
    kPvLast,
    kPvLastIssued,
    kLoadS,
    kSLoaded,
    kRowMaximum,
    kDecided,
    kFragment,
    kFragmentDone,
    kRowSum,
    kRowSumDone,
    kLoadO,
    kOLoadedToRescale,
    kORescaled,
    kOLoadedToNormalise,
    kONormalised,
    kStoreO,
    kStoreOIssued,
};

struct alignas(16) TimelineRecord {
    unsigned long long clock;  // SM cycles
    std::uint16_t tile;        // of this CTA
    std::uint16_t block;       // of the tile, in the order of work
    Mark mark;
    std::uint16_t copy;  // of what the mark speaks of, where a role has several
};
static_assert(sizeof(TimelineRecord) == 16);

// Records of one CTA: for each role (load, then those that compute) `capacity` of them. A record
// with clock 0 is unused.
struct TimelineView {
    TimelineRecord* records;
    unsigned* sm;  // of each CTA
    int ctas;      // the first so many leave records
    int capacity;  // of a role in a CTA
};

}  // namespace attention
