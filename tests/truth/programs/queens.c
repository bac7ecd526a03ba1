/* Six queens, and a maze search with an explicit queue. */
#include <stdio.h>
#include <string.h>

static int columns[6], solutions;

static int safe(int row, int column)
{
    for (int i = 0; i < row; i++) {
        int apart = columns[i] - column;
        if (apart == 0 || apart == row - i || apart == i - row)
            return 0;
    }
    return 1;
}

static void place(int row)
{
    if (row == 6) {
        solutions++;
        return;
    }
    for (int column = 0; column < 6; column++)
        if (safe(row, column)) {
            columns[row] = column;
            place(row + 1);
        }
}

static const char *const maze[] = {"#########", "#.......#", "#.###.#.#", "#.#...#.#", "#.#.###.#", "#.#.....#", "#########"};

static int shortest(int x, int y, int to_x, int to_y)
{
    struct { signed char x, y; short distance; } queue[64];
    static const signed char step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    unsigned char seen[7][9];
    int head = 0, tail = 0;
    memset(seen, 0, sizeof seen);
    queue[tail].x = (signed char)x, queue[tail].y = (signed char)y, queue[tail++].distance = 0;
    for (seen[y][x] = 1; head < tail; head++) {
        if (queue[head].x == to_x && queue[head].y == to_y)
            return queue[head].distance;
        for (int i = 0; i < 4; i++) {
            int nx = queue[head].x + step[i][0], ny = queue[head].y + step[i][1];
            if (maze[ny][nx] == '#' || seen[ny][nx]++)
                continue;
            queue[tail].x = (signed char)nx, queue[tail].y = (signed char)ny;
            queue[tail++].distance = (short)(queue[head].distance + 1);
        }
    }
    return -1;
}

int main(void)
{
    place(0);
    printf("%d %d\n", solutions, shortest(1, 5, 3, 3));
    return 0;
}
