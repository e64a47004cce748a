// A queue that is short most of the time, and often copied with the run that it is part of.
#pragma once

#include <cstddef>
#include <vector>

namespace warpline {

/// First in, first out, in one block of memory; in none before it is used.
template <typename T>
class Fifo {
  public:
    [[nodiscard]] bool empty() const { return head_ == items_.size(); }
    [[nodiscard]] std::size_t size() const { return items_.size() - head_; }
    [[nodiscard]] T& front() { return items_[head_]; }
    [[nodiscard]] const T& front() const { return items_[head_]; }
    /// Counted from the front.
    [[nodiscard]] const T& operator[](std::size_t number) const { return items_[head_ + number]; }

    void push_back(const T& item) { items_.push_back(item); }
    /// Precondition: not empty.
    void pop_front() {
        ++head_;
        // What is gone makes room before it is most of what is held: each item moves once at most.
        if (2 * head_ >= items_.size()) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
            head_ = 0;
        }
    }

    [[nodiscard]] auto begin() { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
    [[nodiscard]] auto end() { return items_.end(); }
    [[nodiscard]] auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
    [[nodiscard]] auto end() const { return items_.end(); }

  private:
    std::vector<T> items_;
    std::size_t head_ = 0;  ///< items before it are gone
};

}  // namespace warpline
