#include "warpline/validate/csv.hpp"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <utility>

namespace warpline {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[nodiscard]] bool is_utf16(std::string_view text) {
    return text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF";
}

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    [[nodiscard]] std::vector<CsvRecord> records() {
        std::vector<CsvRecord> all;
        while (at_ < text_.size()) {
            if (skip_line_end()) {
                continue;
            }
            const std::size_t start = at_;
            CsvRecord record{line_, {}, {}};
            read_fields(record);
            if (!record.problem.empty()) {  // a quote may have run on: start again below it
                at_ = start;
                line_ = record.line;
                skip_line();
            }
            all.push_back(std::move(record));
        }
        return all;
    }

  private:
    void read_fields(CsvRecord& record) {
        do {
            record.fields.push_back(take('"') ? quoted(record.problem) : plain(record.problem));
        } while (record.problem.empty() && take(','));
    }

    [[nodiscard]] std::string plain(std::string& problem) {
        std::string field;
        while (!at_end_of_field()) {
            if (text_[at_] == '"') {
                problem = "a quote inside an unquoted field: quote the whole field";
                return field;
            }
            field += text_[at_++];
        }
        return field;
    }

    [[nodiscard]] std::string quoted(std::string& problem) {
        std::string field;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c != '"') {
                line_ += c == '\n' ? 1 : 0;
                field += c;
            } else if (take('"')) {
                field += '"';
            } else if (at_end_of_field()) {
                return field;
            } else {
                problem = "text after a closing quote: double a quote inside a quoted field";
                return field;
            }
        }
        problem = "a quote that is never closed";
        return field;
    }

    [[nodiscard]] bool at_end_of_field() const {
        return at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' || text_[at_] == '\r';
    }

    [[nodiscard]] bool take(char expected) {
        if (at_ < text_.size() && text_[at_] == expected) {
            ++at_;
            return true;
        }
        return false;
    }

    [[nodiscard]] bool skip_line_end() {
        const bool returned = take('\r');
        if (!take('\n') && !returned) {
            return false;
        }
        ++line_;
        return true;
    }

    void skip_line() {
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') {
            ++at_;
        }
        static_cast<void>(skip_line_end());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
};

}  // namespace

Result<std::vector<CsvRecord>> parse_csv(std::string_view text, const std::string& file_name) {
    if (is_utf16(text)) {
        return fail(FailureKind::input, "the file is UTF-16", "save it as UTF-8",
                    {file_name, 1, 0});
    }
    if (text.find('\0') != std::string_view::npos) {
        return fail(FailureKind::input, "the file holds a NUL byte: it is not text", {},
                    {file_name, 1, 0});
    }
    if (text.substr(0, byte_order_mark.size()) == byte_order_mark) {
        text.remove_prefix(byte_order_mark.size());
    }
    return Reader(text).records();
}

Result<std::string> read_table_text(const std::filesystem::path& path) {
    const SourceLocation where{path.string(), 0, 0};
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        return fail(FailureKind::input, "there is no such file", {}, where);
    }
    if (!std::filesystem::is_regular_file(path, error)) {
        return fail(FailureKind::input, "not a regular file", {}, where);
    }
    const auto size = std::filesystem::file_size(path, error);
    if (error || size > largest_table) {
        return fail(FailureKind::input, error ? "cannot be read" : "larger than 64 MiB",
                    error ? "" : "split the table", where);
    }
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) {
        return fail(FailureKind::input, "cannot be read", {}, where);
    }
    return text;
}

}  // namespace warpline
