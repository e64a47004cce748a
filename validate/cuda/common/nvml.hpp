// The few NVML calls needed, bound at run time: the library comes with the driver, its header
// with the toolkit, and a machine that only runs the benchmarks may lack the header.
#pragma once

#include <dlfcn.h>
#include <optional>
#include <string>

namespace micro {

class Nvml {
  public:
    explicit Nvml(const char* pci_bus_id) {
        library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr)
            return;
        const auto init = symbol<int (*)()>("nvmlInit_v2");
        const auto by_bus =
            symbol<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
        clock_ = symbol<int (*)(void*, int, unsigned*)>("nvmlDeviceGetClockInfo");
        power_ = symbol<int (*)(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
        energy_ =
            symbol<int (*)(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
        driver_ = symbol<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
        ready_ = init != nullptr && by_bus != nullptr && init() == 0 &&
                 by_bus(pci_bus_id, &device_) == 0;
    }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;
    ~Nvml() = default;  // The library stays loaded: the process is about to end anyway.

    [[nodiscard]] bool ready() const { return ready_; }

    [[nodiscard]] std::optional<unsigned> sm_clock_mhz() const { return clock(kSmClock); }
    [[nodiscard]] std::optional<unsigned> memory_clock_mhz() const { return clock(kMemoryClock); }

    [[nodiscard]] std::optional<double> power_watts() const {
        unsigned milliwatts = 0;
        if (!ready_ || power_ == nullptr || power_(device_, &milliwatts) != 0)
            return std::nullopt;
        return milliwatts / 1000.0;
    }

    // What the whole board has drawn since the driver was loaded.
    [[nodiscard]] std::optional<double> energy_joules() const {
        unsigned long long millijoules = 0;
        if (!ready_ || energy_ == nullptr || energy_(device_, &millijoules) != 0)
            return std::nullopt;
        return static_cast<double>(millijoules) / 1000.0;
    }

    [[nodiscard]] std::string driver_version() const {
        char text[96] = {};
        if (!ready_ || driver_ == nullptr || driver_(text, sizeof text) != 0)
            return "unknown";
        return text;
    }

  private:
    // Values of nvmlClockType_t.
    static constexpr int kSmClock = 1;
    static constexpr int kMemoryClock = 2;

    template <class Function>
    Function symbol(const char* name) const {
        return reinterpret_cast<Function>(dlsym(library_, name));
    }

    [[nodiscard]] std::optional<unsigned> clock(int type) const {
        unsigned mhz = 0;
        if (!ready_ || clock_ == nullptr || clock_(device_, type, &mhz) != 0)
            return std::nullopt;
        return mhz;
    }

    void* library_ = nullptr;
    void* device_ = nullptr;
    bool ready_ = false;
    int (*clock_)(void*, int, unsigned*) = nullptr;
    int (*power_)(void*, unsigned*) = nullptr;
    int (*energy_)(void*, unsigned long long*) = nullptr;
    int (*driver_)(char*, unsigned) = nullptr;
};

}  // namespace micro
