// What flash-attention's benchmark scripts print: a table under "FWD (ms / TFLOPS ...)", or a line
// for each backend under a "### headdim = ... ###" heading.
#include "warpline/validate/importers/imported_rows.hpp"
#include "warpline/validate/importers/text_fields.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace warpline {
namespace {

class Reader {
  public:
    [[nodiscard]] std::vector<ImportedRow> rows(std::string_view text) {
        int number = 0;
        for (const std::string_view line : lines_of(text)) {
            ++number;
            take(line, number);
        }
        return std::move(rows_);
    }

  private:
    void take(std::string_view line, int number) {
        const std::vector<std::string> words = words_of(line);
        if (words.empty()) {
            return;
        }
        if (line.find("Benchmarking ") != std::string_view::npos) {
            remember_heads(line);
        } else if (words.front() == "FWD" || words.front() == "BWD") {
            direction_ = words.front() == "FWD" ? "fwd" : "bwd";
            header_.clear();
        } else if (words.front() == "hdim") {
            header_ = words;
        } else if (line.substr(0, 3) == "###") {
            take_heading(line);
        } else if (!heading_.empty() && line.find("FLOP") != std::string_view::npos) {
            take_results(line, number);
        } else if (!header_.empty() && !direction_.empty() &&
                   std::isdigit(static_cast<unsigned char>(words.front().front())) != 0) {
            take_table_line(words, number);
        }
    }

    /// "Benchmarking FA4 fwd, hdim=128, ..., nheads=16, nheads_kv=16": the table leaves heads out.
    void remember_heads(std::string_view line) {
        const std::string hdim = value_behind(line, "hdim");
        heads_[hdim] = {value_behind(line, "nheads"), value_behind(line, "nheads_kv")};
        deterministic_ = value_behind(line, "deterministic") == "True";
    }

    void take_table_line(const std::vector<std::string>& words, int number) {
        ColumnTexts shape;
        std::size_t column = 0;
        std::size_t backends = 0;
        for (; column < header_.size() && column < words.size(); ++column) {
            if (!take_shape(header_[column], words[column], shape)) {
                backends = column;
                break;
            }
        }
        if (backends == 0 || words.size() != header_.size()) {
            rows_.push_back(
                {number, shape,
                 fmt::format("{} words under a header of {}", words.size(), header_.size())});
            return;
        }
        for (std::size_t i = backends; i < words.size(); ++i) {
            const std::size_t slash = words[i].find('/');
            if (slash == std::string::npos) {
                continue;  // not measured
            }
            ImportedRow row{number, shape, {}};
            row.columns["direction"] = direction_;
            row.columns["time_ms"] = words[i].substr(0, slash);
            if (deterministic_ && direction_ == "bwd") {
                row.columns["deterministic"] = "yes";
            }
            add(std::move(row), header_[i]);
        }
    }

    /// False when the column is a backend.
    bool take_shape(const std::string& name, const std::string& value, ColumnTexts& shape) {
        if (name == "hdim") {
            const std::size_t dash = value.find('-');
            shape["head_dim_qk"] = value.substr(0, dash);
            shape["head_dim_v"] = dash == std::string::npos ? value : value.substr(dash + 1);
            const auto known = heads_.find(value);
            if (known != heads_.end()) {
                shape["heads_q"] = known->second.first;
                shape["heads_kv"] = known->second.second;
            }
        } else if (name == "causal") {
            shape["mask"] = value == "True" ? "causal" : "full";
        } else if (name == "batch") {
            shape["batch"] = value;
        } else if (name == "seqlen") {
            shape["seqlen_q"] = shape["seqlen_kv"] = value;
        } else if (name == "seqlen_q" || name == "seqlen_kv") {
            shape[name] = value;
        } else {
            return false;
        }
        return true;
    }

    void take_heading(std::string_view line) {
        heading_.clear();
        const auto set = [&](const char* column, std::string value) {
            if (!value.empty()) {
                heading_[column] = std::move(value);
            }
        };
        set("head_dim_qk", value_behind(line, "headdim"));
        set("head_dim_v", value_behind(line, "headdim_v"));
        if (heading_.count("head_dim_v") == 0) {
            set("head_dim_v", value_behind(line, "headdim"));
        }
        set("batch", value_behind(line, "batch_size"));
        set("seqlen_kv", value_behind(line, "seqlen"));
        set("seqlen_q", value_behind(line, "seqlen_q"));
        if (heading_.count("seqlen_q") == 0) {
            set("seqlen_q", value_behind(line, "seqlen"));
        }
        set("heads_q", value_behind(line, "nheads"));
        set("heads_kv", value_behind(line, "nheads_kv"));
        const std::string causal = value_behind(line, "causal");
        set("mask", causal.empty() ? "" : causal == "True" ? "causal" : "full");
        set("deterministic", value_behind(line, "deterministic") == "True" ? "yes" : "");
    }

    /// "Fav3 fwd: 0.987ms, 656.3 TFLOPS", or "Flash2 fwd: 430.1 TFLOPs/s, bwd: ..., fwd + bwd:
    /// ...".
    void take_results(std::string_view line, int number) {
        const std::size_t name_end = std::min(line.find(" fwd"), line.find(" bwd"));
        if (name_end == std::string_view::npos) {
            return;
        }
        const std::string backend(line.substr(0, name_end));
        std::string direction;
        for (std::string word : words_of(line.substr(name_end))) {
            if (word == "fwd" || word == "+") {
                direction.clear();
            } else if (word == "fwd:" || word == "bwd:") {
                // "fwd + bwd:" is a sum of both, and no kernel of its own.
                direction = combined_ ? "" : word.substr(0, 3);
                combined_ = false;
            } else if (!direction.empty()) {
                take_figure(word, backend, direction, number);
                direction.clear();
            }
            combined_ = word == "+" || (combined_ && word != "bwd:");
        }
        combined_ = false;
    }

    void take_figure(std::string word, const std::string& backend, const std::string& direction,
                     int number) {
        while (!word.empty() && word.back() == ',') {
            word.pop_back();
        }
        ImportedRow row{number, heading_, {}};
        row.columns["direction"] = direction;
        const bool time = word.size() > 2 && word.substr(word.size() - 2) == "ms";
        row.columns[time ? "time_ms" : "tflops"] = time ? word.substr(0, word.size() - 2) : word;
        add(std::move(row), backend);
    }

    void add(ImportedRow row, const std::string& backend) {
        row.columns["kernel"] = family_of_backend(backend);
        row.columns["note"] = backend;
        if (row.columns["kernel"].empty()) {
            row.problem = fmt::format("backend '{}' is no kernel family", backend);
        }
        rows_.push_back(std::move(row));
    }

    std::vector<ImportedRow> rows_;
    std::vector<std::string> header_;
    std::string direction_;
    ColumnTexts heading_;
    std::map<std::string, std::pair<std::string, std::string>> heads_;  ///< by head dim
    bool deterministic_ = false;
    bool combined_ = false;
};

}  // namespace

Result<std::vector<ImportedRow>> import_flash_attention(std::string_view text,
                                                        const std::string& file) {
    auto rows = Reader().rows(text);
    if (rows.empty()) {
        return fail(FailureKind::input, "no result of a flash-attention benchmark was found", {},
                    {file, 0, 0});
    }
    return rows;
}

}  // namespace warpline
