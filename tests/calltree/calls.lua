-- Calls of all kinds inside the interpreter: errors and yields leave its functions by longjmp.
local function factorial(n) return n < 2 and 1 or n * factorial(n - 1) end
local function loop(n, sum) if n == 0 then return sum end return loop(n - 1, sum + n) end
print(factorial(12), loop(30, 0))

-- Errors through several protected calls, through metamethods and out of a callback of sort.
local function fails(depth)
  if depth == 0 then error({ code = 7 }) end
  return (fails(depth - 1))
end
local function guarded(depth)
  local ok, what = pcall(fails, depth)
  if depth % 2 == 0 then error(what.code .. "/" .. depth, 0) end
  return ok, what.code
end
for depth = 1, 6 do print(pcall(guarded, depth)) end
local prickly = setmetatable({}, {
  __index = function(_, key) error("no " .. key, 0) end,
  __concat = function(_, text) return "<" .. text .. ">" end,
  __close = function() print("closed") end,
})
print(pcall(function() return prickly.thing end), prickly .. "x")
print(pcall(table.sort, { 3, 1, 2, 5, 4 }, function(one, two)
  if one == 5 or two == 5 then error("five", 0) end
  return one < two
end))
print(pcall(function()
  local guard <close> = prickly
  local list = {}
  list.x.y = 1
end))
print(xpcall(fails, function(what) return "handled " .. what.code end, 3))
print(pcall(string.rep), (select("#", pcall(load, "x ="))))

-- Coroutines: yields across pcall, errors inside, wrap, a generator in a generator.
local function tree(depth)
  if depth > 0 then
    tree(depth - 1)
    coroutine.yield(depth)
    tree(depth - 1)
  end
end
local sum = 0
for depth in coroutine.wrap(function() tree(4) end) do sum = sum * 3 % 1009 + depth end
print(sum)
local outer = coroutine.wrap(function()
  for value in coroutine.wrap(function() for n = 1, 5 do coroutine.yield(n * n) end end) do
    print(pcall(function() coroutine.yield(value) error("after " .. value, 0) end))
  end
end)
for _ = 1, 5 do print(outer()) end
local broken = coroutine.create(function() coroutine.yield(1) local x = nil; return x.y end)
print(coroutine.resume(broken))
print((coroutine.resume(broken)))
print(coroutine.resume(broken))
local wrapped = coroutine.wrap(function() error("wrapped", 0) end)
print(pcall(wrapped))

-- The interpreter's own callbacks: gsub with functions, sort, load with a reader, the collector.
print((("a b c d"):gsub("%a", function(letter) return letter:upper() .. letter end)))
local words = {}
for n = 1, 40 do words[n] = ("w%d"):format(n * 7919 % 97) end
table.sort(words, function(one, two) return one < two end)
print(table.concat(words, " ", 1, 10))
local parts = { "return ", "1 + ", "2 * 3" }
print(load(function() return table.remove(parts, 1) end)())
local finalised = 0
for _ = 1, 20 do setmetatable({}, { __gc = function() finalised = finalised + 1 end }) end
collectgarbage()
print(finalised)
