-- Callers of POST /v1/orders for wrk: each request has an idempotency key of its own. The arguments are the run, the
-- body and the API keys, which take turns. Prints the figures as JSON.
local run, body
local keys = {}
local sent = 0

function init(args)
  run, body = args[1], args[2]
  for index = 3, #args do
    keys[#keys + 1] = args[index]
  end
end

function request()
  sent = sent + 1
  return "POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nX-API-Key: " .. keys[sent % #keys + 1]
    .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body
    .. "\r\nIdempotency-Key: " .. run .. "-" .. sent .. "\r\n\r\n" .. body
end

function done(summary, latency)
  local errors = summary.errors
  local function ms(share)
    return latency:percentile(share) / 1000
  end
  print(string.format(
    '{"orders":%d,"ordersPerSecond":%f,"p50Ms":%f,"p95Ms":%f,"p99Ms":%f,"refused":%d}',
    summary.requests, summary.requests * 1e6 / summary.duration, ms(50), ms(95), ms(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
