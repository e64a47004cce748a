#include "warpline/reports/gantt.hpp"

#include "warpline/reports/lanes.hpp"
#include "warpline/reports/phrases.hpp"
#include "warpline/reports/text.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace warpline {
namespace {

constexpr std::size_t name_width = 16;
constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr char waiting = '.';
constexpr char no_letter = '+';  ///< more labels than letters

struct Window {
    Tick from = 0;
    Tick to = 0;
};

/// The recorded steady period, or everything that was recorded.
Window window_of(const Schedule& schedule) {
    if (schedule.steady.found && schedule.steady.period > 0) {
        return {schedule.steady.from, schedule.steady.from + schedule.steady.period};
    }
    Window window{schedule.events.front().start, schedule.events.front().end};
    for (const ScheduleEvent& event : schedule.events) {
        window.from = std::min(window.from, event.start);
        window.to = std::max(window.to, event.end);
    }
    window.to = std::max(window.to, window.from + 1);
    return window;
}

/// Letters in order of first appearance.
class Legend {
  public:
    char letter(const std::string& label) {
        const auto found = std::find(labels_.begin(), labels_.end(), label);
        const auto index = static_cast<std::size_t>(found - labels_.begin());
        if (found == labels_.end()) {
            labels_.push_back(label);
        }
        return index < letters.size() ? letters[index] : no_letter;
    }

    /// Explains the letters that are seen in `cells`; operations too short for a cell have none.
    [[nodiscard]] std::string text(std::string_view cells, std::size_t width,
                                   const Style& style) const {
        std::string items;
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            const char shown = i < letters.size() ? letters[i] : no_letter;
            if (cells.find(shown) == std::string_view::npos) {
                continue;
            }
            items += fmt::format("{}{}={}", items.empty() ? "" : ", ",
                                 style.on_color(i, std::string(1, shown)), labels_[i]);
        }
        return wrap(items, width, "  ");
    }

    /// A row's cells, each run of equal ones in the colour of its letter.
    [[nodiscard]] std::string colored(std::string_view cells, const Style& style) const {
        std::string line;
        while (!cells.empty()) {
            const char shown = cells.front();
            const std::size_t run = std::min(cells.find_first_not_of(shown), cells.size());
            const std::size_t letter = letters.find(shown);
            line += letter == std::string_view::npos ? std::string(cells.substr(0, run))
                                                     : style.on_color(letter, cells.substr(0, run));
            cells.remove_prefix(run);
        }
        return line;
    }

  private:
    std::vector<std::string> labels_;
};

/// Time by letter in each cell of one row.
class Row {
  public:
    explicit Row(std::size_t cells) : cells_(cells) {}

    void add(const Window& window, Tick start, Tick end, char letter) {
        const Tick from = std::max(start, window.from);
        const Tick to = std::min(end, window.to);
        const auto cells = static_cast<Tick>(cells_.size());
        const Tick span = window.to - window.from;
        // Cell c covers [c * span, (c + 1) * span) / cells: compare in units of 1 / cells tick.
        const Tick first = (from - window.from) * cells;
        const Tick last = (to - window.from) * cells;
        for (Tick cell = first / span; cell < cells && cell * span < last; ++cell) {
            const Tick part = std::min(last, (cell + 1) * span) - std::max(first, cell * span);
            if (part > 0) {
                cells_[static_cast<std::size_t>(cell)][letter] += part;
            }
        }
    }

    [[nodiscard]] std::string text() const {
        std::string line;
        for (const auto& cell : cells_) {
            const auto longest =
                std::max_element(cell.begin(), cell.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
            line += longest == cell.end() ? ' ' : longest->first;
        }
        return line;
    }

  private:
    std::vector<std::map<char, Tick>> cells_;
};

std::string on_sm(std::string name, int sm, bool several_sms) {
    return several_sms ? name + fmt::format(" sm{}", sm) : name;
}

std::string ruler(const Window& window, std::size_t cells) {
    std::string line(cells, ' ');
    constexpr std::size_t mark_every = 20;
    const double span = cycles_from_ticks(window.to - window.from);
    for (std::size_t cell = 0; cell < cells; cell += mark_every) {
        const double cycles = span * static_cast<double>(cell) / static_cast<double>(cells);
        const std::string mark = fmt::format("|{:.0f}", cycles);
        if (cell + mark.size() <= cells) {
            line.replace(cell, mark.size(), mark);
        }
    }
    return line;
}

std::string row_line(const std::string& name, const std::string& cells) {
    std::string line = cut_to(name, name_width);
    line.append(name_width + 2 - display_width(line), ' ');
    line += cells;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

}  // namespace

std::string gantt_text(const KernelPlan& plan, const Schedule& schedule, const Style& style,
                       std::size_t width) {
    if (schedule.events.empty()) {
        return "";
    }
    const std::size_t cells = std::max<std::size_t>(width, 60) - name_width - 2;
    const Window window = window_of(schedule);
    const bool several_sms = std::any_of(schedule.roles.begin(), schedule.roles.end(),
                                         [](const RoleUsage& usage) { return usage.sm > 0; });
    Legend legend;
    std::map<int, Row> warps;
    std::map<UnitKey, Row> units;
    for (const ScheduleEvent& event : schedule.events) {
        const auto index = static_cast<std::size_t>(event.usage);
        if (event.usage < 0 || index >= schedule.roles.size() || event.start >= window.to ||
            event.end <= window.from || schedule.roles[index].resident != 0) {
            continue;
        }
        const RoleUsage& usage = schedule.roles[index];
        const bool waits = event.kind == ScheduleEvent::Kind::wait;
        const char letter =
            waits ? waiting : legend.letter(printable(op_label(plan, usage.role, event.op)));
        if (event.kind != ScheduleEvent::Kind::async) {
            warps.try_emplace(event.usage, cells)
                .first->second.add(window, event.start, event.end, letter);
        }
        if (!waits) {
            units.try_emplace(unit_key(plan, usage, event.unit), cells)
                .first->second.add(window, event.start, event.end, letter);
        }
    }
    std::string text = fmt::format(
        "{}, {:.1f} cycles from cycle {:.1f}\n",
        schedule.steady.found ? fmt::format("Steady state, {} step{}", schedule.steady.blocks,
                                            schedule.steady.blocks == 1 ? "" : "s")
                              : std::string("Whole run (no steady state)"),
        cycles_from_ticks(window.to - window.from), cycles_from_ticks(window.from));
    text += row_line("cycles", ruler(window, cells));
    std::string seen;
    for (const auto& [usage, row] : warps) {
        seen += row.text();
        const RoleUsage& of = schedule.roles[static_cast<std::size_t>(usage)];
        text += row_line(on_sm(printable(warp_row_name(plan, of)), of.sm, several_sms),
                         legend.colored(row.text(), style));
    }
    text += "\n";
    for (const auto& [key, row] : units) {
        seen += row.text();
        text += row_line(on_sm(unit_row_name(key), key.sm, several_sms),
                         legend.colored(row.text(), style));
    }
    return text + "\n" + legend.text(seen, width, style);
}

}  // namespace warpline
