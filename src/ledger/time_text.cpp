// SPDX-License-Identifier: MIT
#include "ledger/time_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace assay::ledger {
namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr std::array<std::pair<std::string_view, int64_t>, 8> kUnits = {{{"s", kSecond},
                                                                         {"m", kMinute},
                                                                         {"min", kMinute},
                                                                         {"h", kHour},
                                                                         {"d", kDay},
                                                                         {"day", kDay},
                                                                         {"days", kDay},
                                                                         {"w", 7 * kDay}}};
constexpr int64_t kLastMoment = 253'402'300'799 * kSecond;  // the end of the year 9999

std::optional<int> take_number(std::string_view& text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + digits, value);
  if (problem != std::errc() || end != text.data() + digits || value < 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> before_now(std::string_view text, int64_t now_us) {
  constexpr int64_t kMostUnits = 1'000'000;
  int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (problem != std::errc() || count < 0 || count > kMostUnits) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& [name, length] : kUnits) {
    if (unit == name) return std::max<int64_t>(0, now_us - count * length);
  }
  return std::nullopt;
}

// HH:MM or HH:MM:SS, with or without a Z.
std::optional<int64_t> time_of_day(std::string_view text) {
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  std::optional<int> second = 0;
  if (take(text, ':')) second = take_number(text, 2);
  if (!second || *second > 59) return std::nullopt;
  take(text, 'Z');
  if (!text.empty()) return std::nullopt;
  return *hour * kHour + *minute * kMinute + *second * kSecond;
}

std::optional<int64_t> moment(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1970) return std::nullopt;
  const int64_t midnight = sys_days(date).time_since_epoch().count() * kDay;
  if (text.empty()) return midnight;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto time = time_of_day(text);
  return time ? std::optional(midnight + *time) : std::nullopt;
}

}  // namespace

std::string iso_time(int64_t time_us) {
  using namespace std::chrono;
  const int64_t time = std::clamp<int64_t>(time_us, 0, kLastMoment);
  const sys_seconds seconds{std::chrono::seconds(time / kSecond)};
  const auto days = floor<std::chrono::days>(seconds);
  const year_month_day date(days);
  const hh_mm_ss clock(seconds - days);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::string relative_time(int64_t time_us, int64_t now_us) {
  const int64_t age = now_us - std::min(time_us, kLastMoment);
  if (age < -kMinute || age >= 30 * kDay) return iso_time(time_us).substr(0, 10);
  if (age < kSecond) return "now";
  if (age < kMinute) return fmt::format("{} s ago", age / kSecond);
  if (age < kHour) return fmt::format("{} min ago", age / kMinute);
  if (age < kDay) return fmt::format("{} h ago", age / kHour);
  return fmt::format("{} d ago", age / kDay);
}

Result<int64_t> parse_since(std::string_view text, int64_t now_us) {
  if (const auto time = before_now(text, now_us)) return *time;
  if (const auto time = moment(text)) return *time;
  return Error{fmt::format("'{}' is no time", text),
               {},
               "give 30min, 12h, 3d or 2w for as long ago, or a date (UTC): 2026-11-15 or 2026-11-15T08:30"};
}

}  // namespace assay::ledger
