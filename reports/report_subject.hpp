// What a report is about, as data: the figures' numbers, and tables of them.
#pragma once

#include "warpline/device/prediction.hpp"
#include "warpline/engine/releases.hpp"
#include "warpline/pipeline/storage_plan.hpp"
#include "warpline/reports/report_table.hpp"

#include <string>
#include <vector>

namespace warpline {

/// A prediction with the timeline of its longest tile.
struct ReportSubject {
    std::string name;  ///< what tells it from other subjects: "b200", "b200 with kv_stages=2"
    Prediction prediction;
    Recording recording;
    StoragePlan storage;                ///< empty: nothing is shown of memory over time
    double peak_flops = 0.0;            ///< of the GPU at the prediction's clock and type
    double hbm_bytes_per_second = 0.0;  ///< sustained
};

/// Tables of everything the figures show, and of what they do not. With several subjects each row
/// begins with its name, and the first table sets them side by side.
[[nodiscard]] std::vector<ReportTable> subject_tables(const std::vector<ReportSubject>& subjects);

/// One JSON object, without `<`, so that it can stand inside a script element. Timelines longer
/// than 20,000 slices keep their beginning, two steps and their end.
[[nodiscard]] std::string subject_json(const ReportSubject& subject);

/// What a budget is made of, read back from how it says it adds up ("q 65536 + kv 98304"). Empty
/// when it does not say so in that form.
struct BudgetPart {
    std::string name;
    double size = 0.0;
};
[[nodiscard]] std::vector<BudgetPart> budget_parts(const Budget& budget);

}  // namespace warpline
