#include "warpline/validate/timeline.hpp"

#include "warpline/diagnostics/strict_yaml.hpp"
#include "warpline/validate/csv.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace warpline {
namespace {

const std::vector<std::string> number_keys = {"head_dim", "batch",    "heads_q",
                                              "heads_kv", "seqlen_q", "seqlen_kv"};
const std::vector<std::string> text_keys = {"gpu", "kernel", "mask"};
const std::vector<std::string> launch_keys = {"launch_cycles", "launch_cycles_stamped"};
const std::vector<std::string> list_keys = {"set", "note"};
const std::vector<std::string> columns = {"role",  "step",  "edge", "tile",
                                          "block", "clock", "cta",  "sm"};

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::optional<std::int64_t> whole(const std::string& text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return text.empty() || error != std::errc() || stop != end ? std::nullopt
                                                               : std::optional(value);
}

class Reader {
  public:
    explicit Reader(const std::string& file) : file_(file) {}

    /// Takes the "# key: value" lines and returns the rest, lines kept in their places.
    std::string take_head(std::string_view text) {
        std::string rest;
        int number = 0;
        std::istringstream lines{std::string(text)};
        for (std::string line; std::getline(lines, line); rest += '\n') {
            ++number;
            if (!line.empty() && line.back() == '\r') {
                line.pop_back();
            }
            if (line.rfind("# ", 0) == 0) {
                take_key(line.substr(2), number);
            } else {
                rest += line;
            }
        }
        return rest;
    }

    void take_problem() {
        for (const auto* keys : {&number_keys, &text_keys}) {
            for (const std::string& key : *keys) {
                if (head_.count(key) == 0) {
                    complain(1, fmt::format("there is no line \"# {}: ...\"", key));
                }
            }
        }
        AttentionProblem& p = timeline_.problem;
        p.head_dim_qk = p.head_dim_v = number("head_dim");
        p.batch = number("batch");
        p.heads_q = number("heads_q");
        p.heads_kv = number("heads_kv");
        p.seqlen_q = number("seqlen_q");
        p.seqlen_kv = number("seqlen_kv");
        if (head_["mask"].first == "causal") {
            p.mask.kind = MaskKind::causal;
        } else if (head_["mask"].first != "full") {
            complain(head_["mask"].second, "mask is full or causal");
        }
        if (head_.count(launch_keys[0]) != head_.count(launch_keys[1])) {
            complain(1, fmt::format("of {} either both are given or none",
                                    fmt::join(launch_keys, " and ")));
        } else if (head_.count(launch_keys[0]) > 0) {
            timeline_.plain_cycles = launch_cycles(launch_keys[0]);
            timeline_.stamped_cycles = launch_cycles(launch_keys[1]);
        }
        timeline_.gpu = head_["gpu"].first;
        timeline_.kernel = head_["kernel"].first;
    }

    void take_records(const std::vector<CsvRecord>& records) {
        if (records.empty() || records.front().fields != columns) {
            complain(records.empty() ? 1 : records.front().line,
                     fmt::format("the columns are {}", fmt::join(columns, ",")));
            return;
        }
        for (std::size_t i = 1; i < records.size(); ++i) {
            take_record(records[i]);
        }
    }

    Result<Timeline> finish() {
        if (!failure_.diagnostics.empty()) {
            return tl::unexpected(std::move(failure_));
        }
        const auto checked = make_attention(timeline_.problem);
        if (!checked) {
            return tl::unexpected(checked.error());
        }
        return std::move(timeline_);
    }

  private:
    static constexpr std::size_t most_complaints = 10;

    void complain(int line, std::string message) {
        if (failure_.diagnostics.size() < most_complaints) {
            failure_.diagnostics.push_back({{file_, line, 0}, std::move(message), ""});
        }
    }

    void take_key(const std::string& line, int number) {
        const std::size_t colon = line.find(": ");
        const std::string key = line.substr(0, colon);
        const std::string value = colon == std::string::npos ? "" : line.substr(colon + 2);
        if (key == "note") {
            timeline_.notes.push_back(value);
        } else if (key == "set") {
            const std::size_t equals = value.find('=');
            if (equals == std::string::npos) {
                complain(number, "set wants name=value");
                return;
            }
            timeline_.parameters.push_back({value.substr(0, equals), value.substr(equals + 1)});
        } else if (!contains(number_keys, key) && !contains(text_keys, key) &&
                   !contains(launch_keys, key)) {
            complain(number, fmt::format("there is no key \"{}\"; there are {}, {}, {}, {}", key,
                                         fmt::join(text_keys, ", "), fmt::join(number_keys, ", "),
                                         fmt::join(launch_keys, ", "), fmt::join(list_keys, ", ")));
        } else if (!head_.emplace(key, std::pair{value, number}).second) {
            complain(number, key + " is given twice");
        }
    }

    std::int64_t number(const std::string& key) {
        const auto& [value, line] = head_[key];
        const auto result = whole(value);
        if (!result && line > 0) {
            complain(line, fmt::format("{} is '{}', not a whole number", key, value));
        }
        return result.value_or(1);
    }

    double launch_cycles(const std::string& key) {
        const std::int64_t cycles = number(key);
        if (cycles < 1) {
            complain(head_[key].second, key + " is not a positive number of cycles");
        }
        return static_cast<double>(cycles);
    }

    void take_record(const CsvRecord& record) {
        if (!record.problem.empty()) {
            complain(record.line, record.problem);
            return;
        }
        if (record.fields.size() != columns.size()) {
            complain(record.line,
                     fmt::format("{} fields in place of {}", record.fields.size(), columns.size()));
            return;
        }
        const auto tile = whole(record.fields[3]);
        const auto block = whole(record.fields[4]);
        const auto clock = whole(record.fields[5]);
        if (!tile || !block || !clock) {
            complain(record.line, "tile, block and clock are whole numbers");
            return;
        }
        if (first_cta_.empty()) {
            first_cta_ = record.fields[6];
        }
        if (record.fields[6] == first_cta_) {
            add({record.fields[0], record.fields[1], *tile, *block}, record.fields[2],
                static_cast<double>(*clock), record.line);
        }
    }

    void add(Span span, const std::string& edge, double clock, int line) {
        const auto key = std::tuple{span.role, span.step, span.tile, span.block};
        const auto known = open_.find(key);
        if (edge == "begin") {
            span.begin = clock;
            if (!open_.emplace(key, timeline_.spans.size()).second) {
                complain(line,
                         fmt::format("{} of {} begins twice in one block", span.step, span.role));
            }
            timeline_.spans.push_back(std::move(span));
        } else if (edge != "issued" && edge != "end") {
            complain(line, fmt::format("edge '{}' is neither begin, issued nor end", edge));
        } else if (known == open_.end()) {
            complain(line, fmt::format("{} of {} {} before it begins", span.step, span.role,
                                       edge == "end" ? "ends" : "is issued"));
        } else {
            Span& open = timeline_.spans[known->second];
            (edge == "end" ? open.end : open.issued) = clock;
        }
    }

    std::string file_;
    Timeline timeline_;
    std::map<std::string, std::pair<std::string, int>> head_;  // value and line
    std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t>, std::size_t> open_;
    std::string first_cta_;
    Failure failure_{FailureKind::input, {}};
};

}  // namespace

Result<Timeline> parse_timeline(std::string_view text, const std::string& file_name) {
    Reader reader(file_name);
    const auto records = parse_csv(reader.take_head(text), file_name);
    if (!records) {
        return tl::unexpected(records.error());
    }
    reader.take_problem();
    reader.take_records(*records);
    return reader.finish();
}

Result<Timeline> read_timeline(const std::filesystem::path& path) {
    const auto text = read_text(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_timeline(*text, path.string());
}

}  // namespace warpline
