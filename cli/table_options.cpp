#include "cli/table_options.hpp"

#include "cli/parse.hpp"
#include "warpline/validate/importers/imported_rows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace warpline::cli {
namespace {

/// What imported tables leave out, as the command line gives it.
Result<ImportOptions> import_options(const TableOptions& arguments) {
    ImportOptions options;
    options.kernel_name = arguments.kernel_name;
    const std::vector<std::string> known = measured_columns();
    for (const std::string& text : arguments.fill) {
        const auto assignment = parse_assignment(text);
        if (!assignment) {
            return tl::unexpected(assignment.error());
        }
        if (std::find(known.begin(), known.end(), assignment->first) == known.end()) {
            const std::string near = nearest_name(assignment->first, known);
            return fail(FailureKind::usage,
                        fmt::format("--fill: there is no column '{}'", assignment->first),
                        near.empty() ? "" : fmt::format("did you mean {}?", near));
        }
        options.fill[assignment->first] = assignment->second;
    }
    return options;
}

}  // namespace

void TableOptions::declare(const Command& command) {
    command
        .add_option("--fill", fill,
                    "a column that a table of another tool leaves out: gpu=b200, heads_q=16")
        .type_name("COLUMN=VALUE")
        .repeatable();
    command
        .add_option("--kernel-name", kernel_name,
                    "of profiles: only launches whose name holds this text")
        .type_name("TEXT");
}

Result<MeasuredTable> TableOptions::read() const {
    const Result<ImportOptions> options = import_options(*this);
    if (!options) {
        return tl::unexpected(options.error());
    }
    MeasuredTable all;
    for (const std::string& file : files) {
        Result<MeasuredTable> table = read_table(file, *options);
        if (!table) {
            return tl::unexpected(table.error());
        }
        std::move(table->rows.begin(), table->rows.end(), std::back_inserter(all.rows));
        std::move(table->unusable.begin(), table->unusable.end(), std::back_inserter(all.unusable));
    }
    return all;
}

}  // namespace warpline::cli
