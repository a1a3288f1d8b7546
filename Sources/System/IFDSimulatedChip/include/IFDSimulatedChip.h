#ifndef CONTACTLESS_IFD_SIMULATED_CHIP_H
#define CONTACTLESS_IFD_SIMULATED_CHIP_H

// A reader driver for pcscd that carries escape commands to a process with a simulated chip, over the Unix socket that
// DEVICENAME names in reader.conf behind a colon: `/dev/null:/run/chip0`. pcscd demands that what stands before the
// colon exists, and the socket need not be there yet. Nothing but pcscd uses this; its functions are those of
// ifdhandler.h.
//
// Both ways, a frame is two octets of length, big-endian, and that many octets. An answer without octets is none: the
// driver reports a failed communication, as that of a real reader does when it has waited long enough.

// SCARD_CTL_CODE(1) and SCARD_CTL_CODE(3500): the escape commands of libccid and of other systems' drivers.
#define CONTACTLESS_IFD_VENDOR_EXCHANGE 1
#define CONTACTLESS_IFD_ESCAPE 3500

#endif
