package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Wait says how long an answer asks to wait before the next call: [RetryAfter], and on 429 without it [RateReset]. False
// where it does not say.
func Wait(status int, h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := RetryAfter(h, now); ok {
		return d, true
	}
	if status == http.StatusTooManyRequests {
		return RateReset(h, now)
	}
	return 0, false
}

// RetryAfter reads retry-after-ms and Retry-After: milliseconds, seconds (fractions too), a duration such as 1m30s, or an
// HTTP date. A time that has passed is 0. False where there is neither, or none that can be read.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if d, ok := number(text, time.Second); ok {
		return d, true
	}
	if d, err := time.ParseDuration(text); err == nil {
		return max(d, 0), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// RateReset reads the headers that say when a rate limit is over: x-ratelimit-reset-requests and -tokens (OpenAI, Groq),
// x-ratelimit-reset (seconds, or a time in seconds or milliseconds since 1970), anthropic-ratelimit-requests-reset and
// -tokens-reset (a date). It gives the longest of those whose remaining count is 0, or of all where no count is. They also
// stand in answers that are well: ask only on status 429.
func RateReset(h http.Header, now time.Time) (time.Duration, bool) {
	var spent, all time.Duration
	var anySpent, any bool
	for _, l := range [...]struct{ reset, left string }{
		{"X-Ratelimit-Reset-Requests", "X-Ratelimit-Remaining-Requests"},
		{"X-Ratelimit-Reset-Tokens", "X-Ratelimit-Remaining-Tokens"},
		{"X-Ratelimit-Reset", "X-Ratelimit-Remaining"},
		{"Anthropic-Ratelimit-Requests-Reset", "Anthropic-Ratelimit-Requests-Remaining"},
		{"Anthropic-Ratelimit-Tokens-Reset", "Anthropic-Ratelimit-Tokens-Remaining"},
	} {
		d, ok := reset(h.Get(l.reset), now)
		if !ok {
			continue
		}
		all, any = max(all, d), true
		if strings.TrimSpace(h.Get(l.left)) == "0" {
			spent, anySpent = max(spent, d), true
		}
	}
	if anySpent {
		return spent, true
	}
	return all, any
}

func reset(text string, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, false
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		switch {
		case f > 1e11 && f < 1e14:
			return max(time.UnixMilli(int64(f)).Sub(now), 0), true
		case f > 1e8 && f <= 1e11:
			return max(time.Unix(int64(f), 0).Sub(now), 0), true
		}
		return number(text, time.Second)
	}
	if d, err := time.ParseDuration(text); err == nil {
		return max(d, 0), true
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// number reads a count of units. What is negative is 0, what is more than 10^9 seconds is that.
func number(text string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) {
		return 0, false
	}
	const most = 1_000_000_000
	seconds := min(max(float64(f*unit.Seconds()), 0), most)
	return time.Duration(math.Round(float64(seconds * 1e9))), true
}
