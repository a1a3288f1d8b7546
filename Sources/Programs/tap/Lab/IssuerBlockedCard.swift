import ISO7816
import Octets

/// A card that its issuer has blocked (CARD BLOCK, EMV 4.4 Book 3, 6.5.3): it answers 6A81 to every command.
struct IssuerBlockedCard: CommandResponder {
  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    response.put(UInt16(0x6A81), at: 0)
    return 2
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
}
