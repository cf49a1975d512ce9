import torch
N, M = 64, 2 ** 3
class Model(nn.Module):
    def forward(self, x, y): return x
def get_inputs():
    a = torch.rand(N, M // 2)
    return [a, torch.randint(0, 10, (N,)).cuda(), 3]
