internal import EMVDecoding
internal import ISO7816
internal import Transcripts

/// A log whose bytes are the blocks of ISO/IEC 14443-4, with or without their checksums, such as that of a ChameleonMini.
enum FrameLog {
  /// Reads the items of a log; nil for a log whose bytes are no blocks.
  static func read(_ events: [LogEvent]) throws(TranscriptError) -> RecordingContents? {
    let items = events.compactMap { event -> LogItem? in
      if case .item(let item) = event, item.label.family != .none { item } else { nil }
    }
    guard let command = items.first(where: holdsCommand)?.label else { return nil }
    var assembly = FrameAssembly { $0 }
    var builder = TranscriptBuilder()
    if command.side == .response { builder.role("card") }
    var usedCount = 0
    for item in items where item.label.family == command.family && TransmissionBlock(plain(item.octets)) != nil {
      usedCount += item.lines.count
      let frame = ImportedFrame(
        record: item.lines.lowerBound, isOfCard: item.label.side != command.side,
        octets: FrameChecksum.added(to: plain(item.octets)), start: item.instant ?? 0, end: item.instant ?? 0)
      try assembly.take(frame, &builder)
    }
    builder.otherLineCount = events.reduce(-usedCount) { count, event in
      switch event {
      case .item(let item): count + item.lines.count
      case .other: count + 1
      case .reset, .protocolName, .duration, .comment: count
      }
    }
    let contents = builder.contents
    return items.contains { $0.instant != nil } ? contents : contents.withoutTimes
  }

  /// Whether an item is a block with a command, and no command itself.
  private static func holdsCommand(_ item: LogItem) -> Bool {
    guard !InstructionNames.isKnownCommand(item.octets),
      case .information(_, _, let octets)? = TransmissionBlock(plain(item.octets))
    else { return false }
    return octets.count > 4 && InstructionNames.isKnownCommand(octets)
  }

  /// A frame without its checksum, where it has a right one.
  private static func plain(_ octets: [UInt8]) -> ArraySlice<UInt8> {
    octets.count > 3 && FrameChecksum.isRight(octets[...]) ? octets.dropLast(2) : octets[...]
  }
}

extension RecordingContents {
  /// The contents of a log without a clock.
  fileprivate var withoutTimes: RecordingContents {
    var transcript = transcript
    for index in transcript.exchanges.indices {
      transcript.exchanges[index].notes.removeAll { $0.key == .instant }
      transcript.exchanges[index].responseNotes.removeAll { $0.key == .time }
    }
    return RecordingContents(transcript, notes: notes, places: places, otherLineCount: otherLineCount)
  }
}
