internal import Octets
internal import Transcripts

/// Puts the packets of a capture together as exchanges, each by the link type of its interface.
struct CapturedExchanges {
  private var builder = TranscriptBuilder()
  private var frames = FrameAssembly { $0 }
  private var usb = CCIDAssembly()
  private var (usedCount, foreignCount) = (0, 0)

  mutating func take(_ packet: CapturedPacket) throws(TranscriptError) {
    usedCount += 1
    if packet.linkType == 264 {
      switch try CapturedFrame(packet) {
      // A card in a new field begins with block number 0.
      case .fieldOn: frames = frames.restarted()
      case .frame(let frame): try frames.take(frame, &builder)
      case .other: break
      }
    } else if let transfer = USBTransfer(packet) {
      try usb.take(transfer, packet, &builder)
    } else if let apdus = SIMPacket.apdus(packet) {
      try builder.command(apdus.command, line: packet.number)
      try builder.loggedResponse(apdus.response, line: packet.number)
    } else {
      usedCount -= 1
      foreignCount += 1
    }
  }

  /// What was read, after the last packet.
  ///
  /// - Throws: `TranscriptError` when no packet can hold an APDU.
  func contents(_ count: Int) throws(TranscriptError) -> RecordingContents {
    guard usedCount > 0 else {
      throw TranscriptError(
        .unexpected(
          found: "a capture with \(foreignCount.counted("packet")) of other link types",
          expected: "packets of ISO 14443, link type 264, USB with CCID, or GSMTAP"), line: max(count, 1))
    }
    var (builder, usb) = (builder, usb)
    usb.finish(max(count, 1), &builder)
    if foreignCount > 0 {
      builder.note("left out: \(foreignCount.counted("packet")) of other link types", line: count)
    }
    return builder.contents
  }
}
