# SPDX-License-Identifier: MIT
# The program in a container: docker build -t assay . && docker run --rm -v "$PWD:/here" -w /here assay run kernels/softmax
FROM debian:12 AS build
COPY . /assay
WORKDIR /assay
RUN sh tools/setup.sh
RUN make package
RUN tools/unpack_release.sh dist/*.tar.gz /packed

FROM debian:12-slim
COPY --from=build /packed /usr/local
ENTRYPOINT ["assay"]
