#include "warpline/validate/csv.hpp"

#include <cstddef>
#include <utility>

namespace warpline {
namespace {

class Reader {
  public:
    Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    [[nodiscard]] Result<std::vector<CsvRecord>> records() {
        if (text_.find('\0') != std::string_view::npos) {
            return error("the file holds a NUL byte: it is not text");
        }
        std::vector<CsvRecord> all;
        while (at_ < text_.size()) {
            if (skip_line_end()) {
                continue;
            }
            CsvRecord record{line_, {}};
            for (bool more = true; more;) {
                auto field = next_field();
                if (!field) {
                    return tl::unexpected(field.error());
                }
                record.fields.push_back(std::move(*field));
                more = take(',');
            }
            if (at_ < text_.size() && !skip_line_end()) {
                return error("a carriage return without a line feed");
            }
            all.push_back(std::move(record));
        }
        return all;
    }

  private:
    [[nodiscard]] Result<std::string> next_field() { return take('"') ? quoted() : plain(); }

    [[nodiscard]] Result<std::string> plain() {
        std::string field;
        while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' &&
               text_[at_] != '\r') {
            if (text_[at_] == '"') {
                return error("a quote inside an unquoted field", "quote the whole field");
            }
            field += text_[at_++];
        }
        return field;
    }

    [[nodiscard]] Result<std::string> quoted() {
        const int opened = line_;
        std::string field;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c != '"') {
                line_ += c == '\n' ? 1 : 0;
                field += c;
            } else if (take('"')) {
                field += '"';
            } else if (at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' ||
                       text_[at_] == '\r') {
                return field;
            } else {
                return error("text after a closing quote", "double a quote inside a quoted field");
            }
        }
        line_ = opened;
        return error("a quote that is never closed");
    }

    [[nodiscard]] bool take(char expected) {
        if (at_ < text_.size() && text_[at_] == expected) {
            ++at_;
            return true;
        }
        return false;
    }

    [[nodiscard]] bool skip_line_end() {
        const std::size_t before = at_;
        if (take('\r') && !take('\n')) {
            at_ = before;
            return false;
        }
        if (at_ == before && !take('\n')) {
            return false;
        }
        ++line_;
        return true;
    }

    [[nodiscard]] tl::unexpected<Failure> error(std::string message, std::string hint = {}) const {
        return fail(FailureKind::input, std::move(message), std::move(hint), {file_, line_, 0});
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    int line_ = 1;
};

}  // namespace

Result<std::vector<CsvRecord>> parse_csv(std::string_view text, const std::string& file_name) {
    return Reader(text, file_name).records();
}

}  // namespace warpline
