/// What goes wrong between a reader and its host, at the response to a command for the card or at a notification.
public enum USBFault: String, CaseIterable, Sendable {
  /// The endpoint of the response is halted, until the host clears it.
  case stall
  /// The response is a packet that is longer than the host has room for.
  case babble
  /// The last byte of the response is missing.
  case truncated
  /// Zeros follow the response, after the bytes that its dwLength announces.
  case padded
  /// The zero-length packet is missing that ends a response of whole packets; the response is filled up to whole packets.
  case unended
  /// bSeq of the response is that of an earlier command.
  case wrongSequence = "wrong-sequence"
  /// The response to the command before is sent once more, before the right one.
  case stale
  /// The reader asks for more time four times, and then sends the response.
  case extended
  /// The reader says that the card does not answer.
  case mute
  /// The response never comes, and the reader answers nothing until it is reset or unplugged.
  case hang
  /// The reader is unplugged in place of the response.
  case unplug
  /// The notification that a card came or left never comes.
  case lostInterrupt = "lost-interrupt"
  /// The notification comes after 1.6 s.
  case lateInterrupt = "late-interrupt"

  /// What a reader sends in place of a message, for a fault that depends on no protocol; nil for another one.
  ///
  /// - Parameters:
  ///   - last: The message before; empty for none.
  func steps(inPlaceOf octets: [UInt8], endpoint: UInt8, after last: [UInt8]) -> [USBFirmwareStep]? {
    let right = USBFirmwareStep.send(octets, endpoint: endpoint)
    switch self {
    case .stall: return [.halt(endpoint: endpoint)]
    case .babble: return [.babble(octets + [UInt8](repeating: 0, count: 70_000), endpoint: endpoint)]
    case .truncated: return [.send(octets.dropLast(), endpoint: endpoint)]
    case .padded: return [.send(octets + [0, 0, 0], endpoint: endpoint)]
    case .unended:
      let packet = 64
      let rest = (packet - octets.count % packet) % packet
      return [.sendUnended(octets + [UInt8](repeating: 0, count: rest), endpoint: endpoint)]
    case .stale: return last.isEmpty ? [right] : [.send(last, endpoint: endpoint), right]
    case .hang: return []
    case .unplug: return [.leave]
    case .wrongSequence, .extended, .mute, .lostInterrupt, .lateInterrupt: return nil
    }
  }

  /// Whether the fault is one of notifications.
  var concernsNotifications: Bool { self == .lostInterrupt || self == .lateInterrupt }
}
