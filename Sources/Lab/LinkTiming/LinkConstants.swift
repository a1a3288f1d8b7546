/// The values on which the model rests: all of them, each with its source and grade.
public enum LinkConstants {
  // The air: ISO/IEC 14443 type A.
  static let etu = LinkConstant(
    "time of a bit at 106 kbit/s; 212, 424 and 848 kbit/s have a half, a quarter and an eighth of it", 128,
    .carrierCycles, .code, "ST RFAL, rfal_rf.h")
  static let byteBits = LinkConstant(
    "bits of a byte: eight and a parity bit", 9, .bits, .memory, "ISO/IEC 14443-3, type A")
  static let frameBits = LinkConstant(
    "bits of a frame beside its bytes: its start and its end", 1, .bits, .published,
    "Proxmark trace hf_visa_apple_normal: 0.5 to 1.25 bits were seen")
  static let shortFrameBits = LinkConstant(
    "bits of WUPA: start, seven bits, end", 9, .bits, .calculated, "from the bits of a frame")
  static let blockBytes = LinkConstant(
    "bytes of a block beside its data: PCB and CRC", 3, .bytes, .code, "ST RFAL, rfal_isoDep.c")
  static let acknowledgementBytes = LinkConstant("bytes of R(ACK)", 3, .bytes, .code, "ST RFAL, rfal_isoDep.c")
  static let waitingBytes = LinkConstant(
    "bytes of S(WTX), request and response", 4, .bytes, .code, "ST RFAL, rfal_isoDep.c")
  static let fastFrameStart = LinkConstant(
    "start of a frame of the card above 106 kbit/s", 0...512, .carrierCycles, .memory,
    "ISO/IEC 14443-3, 32 subcarrier cycles")
  static let cardDelay = LinkConstant(
    "wait of the card in anticollision and selection", 1_172...1_236, .carrierCycles, .code,
    "AS350PLUS_SP, PCD_Function.c; ST RFAL; the trace has 1172 and 1188")
  static let acknowledgementDelay = LinkConstant(
    "wait of the card before R(ACK) and before its ATS", 1_172...5_524, .carrierCycles, .published,
    "least: ISO/IEC 14443-3; most: RATS in the Proxmark trace")
  static let readerTurn = LinkConstant(
    "wait of the reader between a frame of the card and its own next one", 6_780...9_388, .carrierCycles, .published,
    "least: ST RFAL, from EMVCo 3.0; most: short frames and S(WTX) in the Proxmark trace")
  static let terminalTurn = LinkConstant(
    "work of a terminal before a command, beyond the wait of its reader", 620_000...3_710_000, .nanoseconds,
    .calculated, "Proxmark trace: 1.31 to 4.4 ms before commands, less 0.69 ms")
  static let frameWaitingTime = LinkConstant(
    "longest wait for a response: FWI 7, 4096 times 2 to the power of FWI", 524_288, .carrierCycles, .published,
    "ATS 0578807002 of the Proxmark trace; EMV permits FWI 7 and, later, 8")
  static let waitingShare = LinkConstant(
    "part of that wait after which a card sends S(WTX)", 852...875, .thousandths, .published,
    "Proxmark trace 0.852; ST RFAL as a card 0.875")

  // Cards.
  static let chipFrame = LinkConstant(
    "largest frame of a chip card (FSC)", 64, .bytes, .assumed,
    "32 is the default of the standard, 256 the largest in use")
  static let phoneFrame = LinkConstant(
    "largest frame of a phone (FSC)", 256, .bytes, .published,
    "ATS 0578807002: Proxmark trace, and Android in miguelbalboa/rfid #517")
  static let chipIdentifier = LinkConstant(
    "bytes of the identifier of a chip card", 7, .bytes, .assumed, "a card with a fixed identifier has 4 or 7")
  static let phoneIdentifier = LinkConstant(
    "bytes of the identifier of a phone", 4, .bytes, .published, "Proxmark trace: one level of anticollision")
  static let atsFrame = LinkConstant(
    "bytes of the answer to select with its CRC", 7, .bytes, .published, "ATS 0578807002 of the Proxmark trace")
  static let chipCommand = LinkConstant(
    "work of a chip card for a command without cryptography", 2_000_000...10_000_000, .nanoseconds, .assumed,
    "no time of a single command of a payment card was found")
  static let chipCryptogram = LinkConstant(
    "a cryptogram of a chip card: session key and MAC", 16_000_000...40_000_000, .nanoseconds, .calculated,
    "JCAlgTest: two times Cipher.init and two calls, P71 and P60")
  static let phoneCommand = LinkConstant(
    "a command of a phone without cryptography, with the round trip in its system", 11_180_000...32_830_000,
    .nanoseconds, .published, "Proxmark trace: the two SELECTs of an iPhone; no time of Android by command was found")
  static let phoneCryptogram = LinkConstant(
    "a cryptogram of a phone, with the round trip in its system", 32_830_000...148_440_000, .nanoseconds, .published,
    "least: assumed as SELECT; most: GET PROCESSING OPTIONS of the Proxmark trace, 154.0 ms less four S(WTX)")

  // USB at full speed, and CCID.
  static let usbPacketBytes = LinkConstant(
    "bytes of a bulk packet", 64, .bytes, .document, "microchip.wikidot.com, usb:frames")
  static let usbPacket = LinkConstant(
    "a bulk packet of 64 bytes with 13 bytes around them, at 12 Mbit/s", 51_333, .nanoseconds, .calculated,
    "USB 2.0, 5.8.4, from memory")
  static let usbWait = LinkConstant(
    "wait of a transfer for the host controller: up to a frame", 0...1_000_000, .nanoseconds, .assumed,
    "a frame is 1 ms long")
  static let ccidHeader = LinkConstant(
    "header of a CCID message", 10, .bytes, .code, "libnfc, acr122_usb.c")
  static let directCommand = LinkConstant(
    "bytes around a command of an ACR122U: FF000000 Lc, D44001", 8, .bytes, .code, "libnfc, acr122_usb.c")
  static let directResponse = LinkConstant(
    "bytes around a response of an ACR122U: D54100, 9000", 5, .bytes, .code, "libnfc, acr122_usb.c")
  static let acr122Work = LinkConstant(
    "an exchange inside an ACR122U", 5_000_000...30_000_000, .nanoseconds, .assumed,
    "nfcpy #156: 40 ms for a write to a tag, which takes some 4 ms itself")
  static let acr1252Work = LinkConstant(
    "an exchange inside an ACR1252U", 1_000_000...6_000_000, .nanoseconds, .assumed,
    "nothing was found; nfcpy #156 has 6.7 ms for a write to a tag with another reader of that generation")

  // The PN532.
  static let pn532Frame = LinkConstant(
    "largest frame of a PN532 (FSD)", 64, .bytes, .memory, "RATS E050 of the chip")
  static let emvFrame = LinkConstant(
    "largest frame of a payment reader (FSD)", 256, .bytes, .code,
    "AS350PLUS_SP, EMV_Define.h; RATS E080 of the Proxmark trace")
  static let pn532Bytes = LinkConstant(
    "bytes of InDataExchange and its answer beside the data: two frames, an acknowledgement, two codes each", 26,
    .bytes, .code, "libnfc, pn53x-internal.h")
  static let pn532ExtendedBytes = LinkConstant(
    "further bytes of an extended frame", 3, .bytes, .code, "libnfc, pn53x-internal.h")
  static let pn532NormalData = LinkConstant(
    "largest data of a message in a normal frame, which has 255 bytes with three codes", 252, .bytes, .code,
    "libnfc, pn53x-internal.h")
  static let serialByteBits = LinkConstant("bits of a byte on a serial line", 10, .bits, .code, "start and stop bit")
  static let serialRate = LinkConstant(
    "rate of the serial line", 115_200, .bitsPerSecond, .code, "nfcpy, pn532.py: the default")
  static let fastSerialRate = LinkConstant(
    "faster rate of the serial line", 921_600, .bitsPerSecond, .code, "nfcpy, pn532.py")
  static let i2cByte = LinkConstant(
    "a byte on I2C at 400 kHz, with its acknowledgement", 22_500, .nanoseconds, .calculated, "nine clocks")
  static let i2cExtraBytes = LinkConstant(
    "further bytes on I2C: three addresses, two bytes of readiness", 5, .bytes, .memory, "PN532 user manual")
  static let i2cGap = LinkConstant(
    "waits between the transfers of an exchange on I2C", 10_000_000...15_000_000, .nanoseconds, .code,
    "libnfc, pn532_i2c.c: 5 ms each")
  static let pn532Work = LinkConstant(
    "an exchange inside a PN532", 500_000...5_000_000, .nanoseconds, .assumed,
    "no time between acknowledgement and field was found")

  /// Every value, in the order of the article.
  public static let all =
    [
      etu, byteBits, frameBits, shortFrameBits, blockBytes, acknowledgementBytes, waitingBytes, fastFrameStart,
      cardDelay,
      acknowledgementDelay, readerTurn, terminalTurn, frameWaitingTime, waitingShare, chipFrame, phoneFrame,
      chipIdentifier, phoneIdentifier, atsFrame, chipCommand, chipCryptogram, phoneCommand, phoneCryptogram,
      usbPacketBytes, usbPacket, usbWait, ccidHeader, directCommand, directResponse, acr122Work, acr1252Work,
      pn532Frame,
      emvFrame, pn532Bytes, pn532ExtendedBytes, pn532NormalData, serialByteBits, serialRate, fastSerialRate, i2cByte,
      i2cExtraBytes, i2cGap, pn532Work,
    ] + SignatureTime.constants
}
