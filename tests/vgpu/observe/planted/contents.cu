// SPDX-License-Identifier: MIT
// Kernels with a planted mistake in where they reach and in what they take for written: structures, copies, pitches,
// the stack, the heap; and barriers and collectives that not all come to. Names and marks as in asynchronous.cu.
//   nvcc -arch=sm_80 -lineinfo -ptx contents.cu
#define KERNEL extern "C" __global__ void __launch_bounds__(128)
#define PAIR(kind, name)                                                            \
  KERNEL clean_##name(unsigned* data, unsigned* fresh) { name<true>(data, fresh); } \
  KERNEL planted_##kind##_##name(unsigned* data, unsigned* fresh) { name<false>(data, fresh); }
#define LANE (threadIdx.x % 32)
#define WARP (threadIdx.x / 32)
#define OUT data[4096 + blockIdx.x * 128 + threadIdx.x]

// --- what nothing has written

// A flag of a structure on the stack is set on one way only, and the structure is copied before it is asked.
struct Sample {
  unsigned value;
  unsigned short weight;
  bool valid;
};

__device__ __noinline__ unsigned taken(Sample sample) { return sample.valid ? sample.value * sample.weight : 5; }  // finds uninitialised

template <bool Clean>
__device__ void flag_of_structure(unsigned* data, unsigned*) {
  Sample samples[4];
  for (int i = 0; i < 4; ++i) {
    samples[i].value = data[threadIdx.x + i];
    samples[i].weight = 3;
    if (Clean || samples[i].value > 7) samples[i].valid = samples[i].value > 7;
  }
  OUT = taken(samples[(data[9] + threadIdx.x) % 4]);  // finds uninitialised
}
PAIR(uninitialised, flag_of_structure)

// memcpy() takes a structure whose last member is not set, and a sum takes it from the copy.
struct Row {
  unsigned key;
  unsigned pad[2];
  unsigned count;
};

template <bool Clean>
__device__ void copied_structure(unsigned* data, unsigned*) {
  __shared__ Row rows[128];
  __shared__ unsigned char bytes[128 * sizeof(Row)];
  Row& row = rows[threadIdx.x];
  row.key = data[threadIdx.x];
  if (Clean || threadIdx.x % 2 == 0) row.count = 1;
  __syncthreads();
  for (int i = 0; i < 4; ++i)
    reinterpret_cast<unsigned*>(bytes)[threadIdx.x * 4 + i] = reinterpret_cast<unsigned*>(&rows[127 - threadIdx.x])[i];  // finds uninitialised
  __syncthreads();
  const Row& other = *reinterpret_cast<Row*>(bytes + sizeof(Row) * (threadIdx.x ^ 1));
  OUT = other.key + other.count * 2;  // finds uninitialised
}
PAIR(uninitialised, copied_structure)

// A 64-bit sum whose upper half nobody has cleared.
template <bool Clean>
__device__ void upper_half(unsigned* data, unsigned*) {
  __shared__ unsigned long long sum[4];
  unsigned* const halves = reinterpret_cast<unsigned*>(sum);
  if (threadIdx.x < (Clean ? 8 : 4)) halves[threadIdx.x * (Clean ? 1 : 2)] = 0;
  __syncthreads();
  atomicAdd(&sum[WARP], static_cast<unsigned long long>(data[threadIdx.x]));  // finds uninitialised
  __syncthreads();
  OUT = static_cast<unsigned>(sum[WARP] >> 3);  // finds uninitialised
}
PAIR(uninitialised, upper_half)

// Only the even threads of a block with an odd count have a partner that has written.
template <bool Clean>
__device__ void partner_not_written(unsigned* data, unsigned*) {
  __shared__ float value[128];
  if (threadIdx.x < 99) value[threadIdx.x] = static_cast<float>(data[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < (Clean ? 98 : 99)) OUT = static_cast<unsigned>(value[threadIdx.x] * value[threadIdx.x + 1]);  // finds uninitialised
}
PAIR(uninitialised, partner_not_written)

// An accumulator in global memory that is not cleared by the block whose turn it is.
template <bool Clean>
__device__ void cleared_by_another(unsigned* data, unsigned* fresh) {
  const unsigned mine = blockIdx.x * 128 + threadIdx.x;
  if (Clean || blockIdx.x % 2 == 0) fresh[mine] = 0;
  for (int i = 0; i < 3; ++i) fresh[mine] += data[threadIdx.x + i];  // finds uninitialised
  OUT = fresh[mine];  // finds uninitialised
}
PAIR(uninitialised, cleared_by_another)

// Bytes that no mask keeps are no use of them: packing beside what is not set yet.
KERNEL clean_packed_nibbles(unsigned* data, unsigned*) {
  unsigned word[2];
  unsigned short* const parts = reinterpret_cast<unsigned short*>(word);
  for (int i = 0; i < 4; ++i) parts[i] = static_cast<unsigned short>(data[threadIdx.x + i] >> i);
  OUT = __byte_perm(word[0], word[1], 0x6240);
}

// --- where they reach

// Rows lie 33 words apart; the loop over a row goes by the pitch, and the last row ends before it.
template <bool Clean>
__device__ void last_row_by_pitch(unsigned* data, unsigned*) {
  __shared__ unsigned rows[128 * 3 - 1];
  for (unsigned i = threadIdx.x; i < 383; i += 128) rows[i] = data[i];
  __syncthreads();
  unsigned sum = 0;
  for (unsigned i = 0; i < (Clean ? 2u : 3u); ++i) sum += rows[threadIdx.x * 3 + i];  // finds out_of_bounds
  OUT = sum;
}
PAIR(out_of_bounds, last_row_by_pitch)

// Only the last block reaches behind the tensor, and only its last warp.
template <bool Clean>
__device__ void last_block(unsigned* data, unsigned*) {
  const unsigned first = 65536 - 8 * 512 + blockIdx.x * 512 + threadIdx.x * 4 + (Clean ? 0 : 96);
  const uint4 four = *reinterpret_cast<const uint4*>(data + first);  // finds out_of_bounds
  OUT = four.x + four.y + four.z + four.w;
}
PAIR(out_of_bounds, last_block)

// A row of an odd number of floats, read as pairs.
template <bool Clean>
__device__ void pairs_of_odd_rows(unsigned* data, unsigned*) {
  const unsigned pitch = Clean ? 34 : 33 + (data[3] & 2);
  const float2 pair = *reinterpret_cast<const float2*>(data + (threadIdx.x / 16) * pitch + threadIdx.x % 16 * 2);  // finds misaligned
  OUT = static_cast<unsigned>(pair.x + pair.y);
}
PAIR(misaligned, pairs_of_odd_rows)

// A pointer to what a function had on its stack.
__device__ __noinline__ unsigned* row_of(unsigned first, unsigned* room, bool own) {
  unsigned row[8];
  unsigned* const to = own ? row : room;
  for (unsigned i = 0; i < 8; ++i) to[i] = first + i;
  return to;
}

template <bool Clean>
__device__ void stack_of_callee(unsigned* data, unsigned*) {
  unsigned room[8];
  const unsigned* const row = row_of(data[threadIdx.x], room, !Clean && data[1] == 0);
  OUT = row[data[2] % 8] + row[7];  // finds out_of_bounds
}
PAIR(out_of_bounds, stack_of_callee)

// The heap's block is a word too short for the terminator.
template <bool Clean>
__device__ void heap_terminator(unsigned* data, unsigned*) {
  const unsigned count = data[threadIdx.x] % 7 + 5;
  unsigned* const list = static_cast<unsigned*>(malloc((count + (Clean ? 1 : 0)) * sizeof(unsigned)));
  if (list == nullptr) return;
  for (unsigned i = 0; i < count; ++i) list[i] = i + threadIdx.x;
  list[count] = 0;  // finds out_of_bounds
  unsigned sum = 0;
  for (const unsigned* at = list; *at != 0 || at == list; ++at) sum += *at;  // finds out_of_bounds // finds uninitialised
  OUT = sum;
  free(list);
}
PAIR(out_of_bounds, heap_terminator)

__constant__ unsigned weights[5] = {1, 2, 3, 4, 5};

template <bool Clean>
__device__ void weights_beyond(unsigned* data, unsigned*) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 4 + data[0]; ++i) sum += weights[i + (Clean ? 0 : threadIdx.x % 3)] * data[threadIdx.x + i];  // finds out_of_bounds
  OUT = sum;
}
PAIR(out_of_bounds, weights_beyond)

// A table on the stack, one step too far for one thread in the block.
template <bool Clean>
__device__ void stack_table(unsigned* data, unsigned*) {
  unsigned table[6];
  for (unsigned i = 0; i < 6; ++i) table[i] = data[i] + i;
  const unsigned at = data[threadIdx.x] + (threadIdx.x == 77 ? (Clean ? 5 : 6) : threadIdx.x % 6);
  OUT = table[at];  // finds out_of_bounds
}
PAIR(out_of_bounds, stack_table)

// --- who comes

// Rows end at different times: warps leave the loop, and the barrier in it, one after the other.
template <bool Clean>
__device__ void rows_end_apart(unsigned* data, unsigned*) {
  __shared__ unsigned value[128];
  const unsigned rounds = 2 + (Clean ? 0 : LANE % 3) + data[0];
  unsigned sum = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    value[threadIdx.x] = data[i] + sum;  // finds race // side
    __syncthreads();  // finds barrier
    sum += value[(threadIdx.x + 1) % 128];  // finds race // side
    __syncthreads();  // finds barrier
  }
  OUT = sum;
}
PAIR(barrier, rows_end_apart)

// Producers fill under the barrier that consumers take for empty.
template <bool Clean>
__device__ void swapped_barriers(unsigned* data, unsigned*) {
  __shared__ unsigned value[64];
  if (threadIdx.x < 64) {
    value[threadIdx.x] = data[threadIdx.x];
    asm volatile("bar.arrive %0, 128;" ::"r"(1) : "memory");
  } else {
    asm volatile("bar.sync %0, 128;" ::"r"(Clean ? 1 : 2) : "memory");  // finds deadlock
    OUT = value[127 - threadIdx.x];
  }
}
PAIR(deadlock, swapped_barriers)

// A sum over lanes of which some have left with the rows behind the end.
template <bool Clean>
__device__ void sum_of_leavers(unsigned* data, unsigned*) {
  const bool mine = threadIdx.x % 32 < 20;
  unsigned sum = mine || Clean ? data[threadIdx.x] + 1 : 0;
  if (!mine && !Clean) return;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);  // finds inactive_lane // finds uninitialised
  OUT = sum;  // side
}
PAIR(inactive_lane, sum_of_leavers)

// One lane asks for the value of a lane that is not in the mask.
template <bool Clean>
__device__ void lane_outside_mask(unsigned* data, unsigned*) {
  unsigned value = data[threadIdx.x] + threadIdx.x;
  if (LANE < 8) value += __shfl_sync(0xffu, value, Clean ? 7 : 8 + static_cast<int>(data[0]));  // finds inactive_lane
  OUT = value;
}
PAIR(inactive_lane, lane_outside_mask)
