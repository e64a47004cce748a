#include "warpline/reports/text.hpp"

#include <doctest/doctest.h>

using namespace warpline;

TEST_CASE("printable shows what would steer a terminal and keeps the rest") {
    CHECK(printable("row max") == "row max");
    CHECK(printable("\x1b[31m") == "\\x1b[31m");
    CHECK(printable("a\nb\tc\r\x7f") == "a\\x0ab\\x09c\\x0d\\x7f");
    CHECK(printable(std::string_view("\0", 1)) == "\\x00");
    CHECK(printable("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
          "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    CHECK(printable("\xc2\x9b") == "\\u{9b}");                       // one-byte CSI of C1
    CHECK(printable("\xe2\x80\xae") == "\\u{202e}");                 // right-to-left override
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // overlong
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // surrogate
    CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // past U+10FFFF
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");                    // cut off
}

TEST_CASE("csv_text quotes, and disarms formulas") {
    CHECK(csv_text("plain") == "plain");
    CHECK(csv_text("") == "");
    CHECK(csv_text("a,b") == "\"a,b\"");
    CHECK(csv_text("say \"hi\"") == "\"say \"\"hi\"\"\"");
    CHECK(csv_text("two\nlines") == "\"two\nlines\"");
    for (const char* formula : {"=1+1", "+1", "-1", "@x", "\tx", " =1", "|x"}) {
        CHECK(csv_text(formula) == std::string("'") + formula);
    }
    CHECK(csv_text("=HYPERLINK(\"a\",1)") == "\"'=HYPERLINK(\"\"a\"\",1)\"");
    CHECK(csv_text("\r=1") == "\"'\r=1\"");
}

TEST_CASE("width counts code points and no colours") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("caf\xc3\xa9") == 4);
    CHECK(display_width(Style{true}.bold("abc")) == 3);
    CHECK(Style{false}.bold("abc") == "abc");
    CHECK(cut_to("abcdef", 6) == "abcdef");
    CHECK(cut_to("abcdefg", 6) == "abcd..");
}

TEST_CASE("wrap keeps to the width and indents what follows") {
    CHECK(wrap("one two three", 12, "  - ") == "  - one two\n    three\n");
    CHECK(wrap("", 12, "x ") == "x \n");
    CHECK(wrap("so incomprehensibilities no", 8, "") == "so\nincompre\nhensibil\nities no\n");
    CHECK(wrap("exactly8 no", 8, "") == "exactly8\nno\n");
}

TEST_CASE("numbers as people read them") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999.4) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(-1234567) == "-1,234,567");
    CHECK(byte_text(999) == "999 B");
    CHECK(byte_text(999.6) == "1 kB");
    CHECK(byte_text(1.5e9) == "1.5 GB");
    CHECK(time_text(12.34e-6) == "12.34 us");
    CHECK(time_text(1.2345e-3) == "1.234 ms");
    CHECK(time_text(2.5) == "2.5 s");
}

TEST_CASE("tables line up and have no trailing blanks") {
    Table table({Align::left, Align::right, Align::left});
    table.add({"a", "1", ""});
    table.add({"long", "100"});
    CHECK(table.text("  ") == "  a       1\n  long  100\n");
}
