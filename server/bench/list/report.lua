-- What a round of wrk found, as one line of JSON.
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"seconds":%f,"bytes":%d,"errors":%d,"p95_us":%d}\n', summary.requests,
    summary.duration / 1e6, summary.bytes, e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(95)))
end
