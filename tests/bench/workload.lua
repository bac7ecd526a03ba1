-- What the cost bench gives to lua: tables, strings, closures, floats and the collector.
local rounds = tonumber(arg[1])
local sum = 0

local function fibonacci(n)
  if n < 2 then return n end
  return fibonacci(n - 1) + fibonacci(n - 2)
end

local function sieve(limit)
  local composite, count = {}, 0
  for n = 2, limit do
    if not composite[n] then
      count = count + 1
      for multiple = n * n, limit, n do composite[multiple] = true end
    end
  end
  return count
end

local function words(count)
  local seen, list = {}, {}
  for n = 1, count do
    local word = ("w%d"):format(n * 7919 % 997)
    seen[word] = (seen[word] or 0) + 1
    list[n] = word
  end
  table.sort(list, function(one, two) return seen[one] * 1000 + #one > seen[two] * 1000 + #two end)
  return #list[1] + #table.concat(list, " "):gsub("w(%d)", "%1,")
end

local function orbit(steps)
  local x, y, vx, vy = 1.0, 0.0, 0.0, 1.0
  for _ = 1, steps do
    local r = (x * x + y * y) ^ 1.5
    vx, vy = vx - x / r * 0.01, vy - y / r * 0.01
    x, y = x + vx * 0.01, y + vy * 0.01
  end
  return math.floor(x * 1e6) ~ math.floor(y * 1e6)
end

for _ = 1, rounds do
  sum = sum + fibonacci(15) + sieve(3000) + words(300) + orbit(1000)
end
print(sum)
