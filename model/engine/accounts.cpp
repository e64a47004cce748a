#include "warpline/engine/accounts.hpp"

#include <algorithm>

namespace warpline {

Cause CauseTable::cause(int id) const {
    switch (id) {
        case 0:
            return {Cause::Kind::none, 0};
        case 1:
            return {Cause::Kind::issue, 0};
        case 2:
            return {Cause::Kind::memory, 0};
        case 3:
            return {Cause::Kind::finished, 0};
        default:
            break;
    }
    const int rest = id - fixed;
    if (rest >= 3 * units) {
        return {Cause::Kind::barrier, rest - 3 * units};
    }
    constexpr Cause::Kind kinds[] = {Cause::Kind::unit, Cause::Kind::latency, Cause::Kind::drain};
    return {kinds[rest / units], rest % units};
}

std::vector<CausedTime> itemize(const Account& account, const CauseTable& causes) {
    std::vector<CausedTime> items;
    for (int id = 0; id < causes.size(); ++id) {
        const Tick time = account.charged[static_cast<std::size_t>(id)];
        if (time > 0) {
            items.push_back({causes.cause(id), time});
        }
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const CausedTime& x, const CausedTime& y) { return x.time > y.time; });
    return items;
}

}  // namespace warpline
