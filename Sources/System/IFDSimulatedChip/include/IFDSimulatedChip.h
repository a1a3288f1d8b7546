#ifndef CONTACTLESS_IFD_SIMULATED_CHIP_H
#define CONTACTLESS_IFD_SIMULATED_CHIP_H

// A reader driver for pcscd. It carries escape commands to a process with a simulated chip, over a Unix socket.
// DEVICENAME in reader.conf names the socket after a colon: `/dev/null:/run/chip0`. pcscd requires that the file before
// the colon exists; the socket can be created later. Only pcscd uses this library; its functions are those of
// ifdhandler.h.
//
// In both directions, a frame is two length bytes, the high one first, and that many bytes. After an answer of 0 bytes
// the driver reports a failed communication, as the driver of a real reader does after its timeout.

// SCARD_CTL_CODE(1) and SCARD_CTL_CODE(3500): the escape commands of libccid and of other systems' drivers.
#define CONTACTLESS_IFD_VENDOR_EXCHANGE 1
#define CONTACTLESS_IFD_ESCAPE 3500

#endif
