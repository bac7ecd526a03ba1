-- What the interpreter computes, held against what its manual says: integers, floats, strings,
-- tables, closures, coroutines, metatables, errors and the collector.
local function same(name, found, wanted)
  print((found == wanted and "PASS: " or "FAIL: ") .. name)
end

local function crc(text)
  local sum = 0xffffffff
  for index = 1, #text do
    sum = sum ~ text:byte(index)
    for _ = 1, 8 do
      sum = (sum >> 1) ~ (0xedb88320 & -(sum & 1))
    end
  end
  return sum ~ 0xffffffff
end

same("crc", crc("123456789"), 0xcbf43926)
same("integers wrap around", math.maxinteger + 1, math.mininteger)
same("integer division", -7 // 2 * 10 + -7 % 2, -39)
same("floats", string.format("%.17g", 0.1 + 0.2), "0.30000000000000004")
same("float division", string.format("%a", 1 / 3), "0x1.5555555555555p-2")

local sorted = {}
for index = 1, 2000 do sorted[index] = (index * 7919) % 2003 end
table.sort(sorted)
local ordered = true
for index = 2, #sorted do ordered = ordered and sorted[index - 1] <= sorted[index] end
same("sort", ordered, true)

same("patterns", ("key = value, other=1"):gsub("(%w+)%s*=%s*(%w+)", "%2=%1"), "value=key, 1=other")
same("formats", ("%5.2f|%-5d|%05x|%q"):format(3.14159, 42, 255, "a\nb"), ' 3.14|42   |000ff|"a\\\nb"')
same("packing", ("%d %d"):format(string.unpack("<i2>i4", string.pack("<i2>i4", -2, 70000))), "-2 70000")
same("utf8", utf8.len("häß€"), 4)

local produced = {}
local producer = coroutine.wrap(function() for n = 1, 5 do coroutine.yield(n * n) end end)
for value in producer do produced[#produced + 1] = value end
same("coroutines", table.concat(produced, " "), "1 4 9 16 25")

local vector = setmetatable({3, 4}, {
  __add = function(one, two) return one[1] + two[1] + one[2] + two[2] end,
  __len = function() return 2 end,
  __index = function(_, key) return key .. "?" end,
})
same("metatables", (vector + vector) .. #vector .. vector.missing, "142missing?")

local ok, message = pcall(error, { code = 7 })
same("errors", not ok and message.code, 7)
same("traceback", select(2, xpcall(function() local x = nil; return x.y end, tostring)) ~= nil, true)

local weak = setmetatable({}, { __mode = "v" })
for index = 1, 100 do weak[index] = {} end
collectgarbage()
same("weak tables", next(weak), nil)

local chunk = assert(load("local a, b = ... ; return function() a = a + b; return a end"))
local count = chunk(40, 1)
count()
same("closures", count(), 42)
same("goto", (function() local n = 0; ::again:: n = n + 1; if n < 9 then goto again end; return n end)(), 9)
