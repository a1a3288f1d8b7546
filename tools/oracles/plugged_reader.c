/* A driver for pcscd: a reader whose card answers every command with 9000, and instruction 70 after a delay of 700 ms. */
#include <string.h>
#include <unistd.h>

#include <ifdhandler.h>

static const UCHAR atr[] = {0x3B, 0x80, 0x80, 0x01, 0x01};

static RESPONSECODE give(const UCHAR *octets, DWORD count, PUCHAR value, PDWORD length) {
  memcpy(value, octets, count);
  *length = count;
  return IFD_SUCCESS;
}

RESPONSECODE IFDHGetCapabilities(DWORD Lun, DWORD Tag, PDWORD Length, PUCHAR Value) {
  static const UCHAR one = 1, many = 8;
  switch (Tag) {
    case TAG_IFD_ATR: return give(atr, sizeof atr, Value, Length);
    case TAG_IFD_SIMULTANEOUS_ACCESS: return give(&many, 1, Value, Length);
    case TAG_IFD_THREAD_SAFE:
    case TAG_IFD_SLOTS_NUMBER: return give(&one, 1, Value, Length);
    default: return IFD_ERROR_TAG;
  }
}

RESPONSECODE IFDHPowerICC(DWORD Lun, DWORD Action, PUCHAR Atr, PDWORD AtrLength) {
  return give(atr, sizeof atr, Atr, AtrLength);
}

RESPONSECODE IFDHTransmitToICC(DWORD Lun, SCARD_IO_HEADER SendPci, PUCHAR TxBuffer, DWORD TxLength, PUCHAR RxBuffer,
                               PDWORD RxLength, PSCARD_IO_HEADER RecvPci) {
  static const UCHAR success[] = {0x90, 0x00};
  if (TxLength > 1 && TxBuffer[1] == 0x70) usleep(700000);
  return give(success, sizeof success, RxBuffer, RxLength);
}

RESPONSECODE IFDHICCPresence(DWORD Lun) { return IFD_SUCCESS; }
RESPONSECODE IFDHCreateChannelByName(DWORD Lun, LPSTR DeviceName) { return IFD_SUCCESS; }
RESPONSECODE IFDHCreateChannel(DWORD Lun, DWORD Channel) { return IFD_SUCCESS; }
RESPONSECODE IFDHCloseChannel(DWORD Lun) { return IFD_SUCCESS; }

RESPONSECODE IFDHSetCapabilities(DWORD Lun, DWORD Tag, DWORD Length, PUCHAR Value) { return IFD_NOT_SUPPORTED; }

RESPONSECODE IFDHSetProtocolParameters(DWORD Lun, DWORD Protocol, UCHAR Flags, UCHAR PTS1, UCHAR PTS2, UCHAR PTS3) {
  return IFD_SUCCESS;
}

RESPONSECODE IFDHControl(DWORD Lun, DWORD dwControlCode, PUCHAR TxBuffer, DWORD TxLength, PUCHAR RxBuffer,
                         DWORD RxLength, LPDWORD pdwBytesReturned) {
  return IFD_NOT_SUPPORTED;
}
