#include "cli/report_exports.hpp"

#include "cli/run_program.hpp"
#include "warpline/reports/text.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpline::cli {
namespace {

namespace fs = std::filesystem;

using Figures = std::map<std::string, std::string>;  ///< SVG by id

Result<void> make_folder(const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        return fail(FailureKind::input, fmt::format("folder {} cannot be made: {}",
                                                    printable(folder), error.message()));
    }
    return {};
}

Result<Figures> draw(const ReportPage& page) {
    const ReportAssets assets = report_assets();
    if (assets.charts.empty()) {
        return fail(FailureKind::input,
                    "this copy of warpline was built without its chart library: no figures",
                    "install npm and build again");
    }
    const auto folder = TemporaryFolder::make();
    if (!folder) {
        return tl::unexpected(folder.error());
    }
    const std::string at = folder->path() + "/";
    const auto files = write_files({{at + "echarts.min.js", std::string(assets.charts)},
                                    {at + "figures.js", std::string(assets.figures)},
                                    {at + "export.js", std::string(assets.exporter)},
                                    {at + "data.json", page.data}});
    if (!files) {
        return tl::unexpected(files.error());
    }
    const auto text = run_program({"node", at + "export.js"}, "--svg");
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object()) {
        return fail(FailureKind::input, "node did not draw the figures");
    }
    Figures figures;
    for (const auto& [id, svg] : json.items()) {
        figures[id] = svg.get<std::string>();
    }
    return figures;
}

/// Width and height that an SVG text states first.
struct Size {
    int width = 960;
    int height = 540;
};

Size size_of(const std::string& svg) {
    Size size;
    const std::size_t at = svg.find("width=\"");
    if (at != std::string::npos) {
        std::sscanf(svg.c_str() + at, "width=\"%d\" height=\"%d\"", &size.width, &size.height);
    }
    return size;
}

Result<std::string> png_of(const std::string& svg) {
    const auto folder = TemporaryFolder::make();
    if (!folder) {
        return tl::unexpected(folder.error());
    }
    const std::string at = folder->path() + "/";
    const std::string page =
        "<!doctype html><meta charset=\"utf-8\"><style>body{margin:0}</style>" + svg;
    if (const auto file = write_files({{at + "figure.html", page}}); !file) {
        return tl::unexpected(file.error());
    }
    const Size size = size_of(svg);
    const auto ran =
        run_program({"chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                     "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
                     "--force-device-scale-factor=2", "--user-data-dir=" + at + "profile",
                     fmt::format("--window-size={},{}", size.width, size.height),
                     "--screenshot=" + at + "figure.png", "file://" + at + "figure.html"},
                    "--png");
    if (!ran) {
        return tl::unexpected(ran.error());
    }
    std::ifstream file(at + "figure.png", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

void ExportFolders::declare(const Command& command) {
    command.add_option("--svg", svg, "each figure as SVG, too (needs node)").type_name("DIR");
    command.add_option("--png", png, "each figure as PNG, too (needs node and chromium)")
        .type_name("DIR");
    command.add_option("--tables", csv, "each table as CSV, too").type_name("DIR");
}

Result<std::vector<OutputFile>> exported(const ReportPage& page, const ExportFolders& folders) {
    std::vector<OutputFile> files;
    for (const std::string* const folder : {&folders.svg, &folders.png, &folders.csv}) {
        if (!folder->empty()) {
            if (const auto made = make_folder(*folder); !made) {
                return tl::unexpected(made.error());
            }
        }
    }
    if (!folders.svg.empty() || !folders.png.empty()) {
        const auto figures = draw(page);
        if (!figures) {
            return tl::unexpected(figures.error());
        }
        for (const auto& [id, svg] : *figures) {
            if (!folders.svg.empty()) {
                files.push_back({folders.svg + "/" + id + ".svg", svg});
            }
            if (!folders.png.empty()) {
                auto png = png_of(svg);
                if (!png) {
                    return tl::unexpected(png.error());
                }
                files.push_back({folders.png + "/" + id + ".png", std::move(*png)});
            }
        }
    }
    if (!folders.csv.empty()) {
        for (const ReportTable& table : page.tables) {
            files.push_back({folders.csv + "/" + table.id + ".csv", table_csv(table)});
        }
    }
    return files;
}

}  // namespace warpline::cli
