import Foundation
import Links
import PCSCReader
import Testing

struct PCSCErrorTests {
  @Test func `the table of errors has every name and every number once`() {
    #expect(Set(PCSCError.table.map(\.error)).count == PCSCError.table.count)
    #expect(Set(PCSCError.table.map(\.name)).count == PCSCError.table.count)
    #expect(Set(PCSCError.table.map(\.text)).count == PCSCError.table.count)
  }

  @Test func `an unknown code keeps its number`() {
    let error = PCSCError(rawValue: 0xDEAD_BEEF)
    #expect(error.rawValue == 0xDEAD_BEEF)
    #expect(error.name == nil)
    #expect(error.description == "unknown PC/SC error 0xDEADBEEF")
    #expect(error.linkError(reader: "R").code == .transmissionFailed)
  }

  @Test func `a known code is described with its meaning, name and number`() {
    #expect(PCSCError.noService.description == "the reader service is not running (SCARD_E_NO_SERVICE, 0x8010001D)")
    #expect(PCSCError(rawValue: 0x8010_0069) == .removedCard)
  }

  static let codes: [(PCSCError, LinkError.Code)] = [
    (.removedCard, .cardRemoved), (.noSmartCard, .cardRemoved), (.resetCard, .cardRemoved),
    (.unpoweredCard, .cardRemoved), (.unknownReader, .readerUnavailable), (.readerUnavailable, .readerUnavailable),
    (.noReadersAvailable, .readerUnavailable), (.noService, .serviceUnavailable),
    (.serviceStopped, .serviceUnavailable), (.communicationError, .serviceUnavailable),
    (.securityViolation, .serviceUnavailable),
    (.sharingViolation, .busy), (.serverTooBusy, .busy), (.timedOut, .timedOut), (.cancelled, .stopped),
    (.protocolMismatch, .protocolViolation), (.notTransacted, .transmissionFailed),
    (.insufficientBuffer, .protocolViolation), (.unresponsiveCard, .transmissionFailed),
  ]

  @Test(arguments: codes)
  func `an error of libpcsclite becomes a link error`(error: PCSCError, code: LinkError.Code) {
    let failure = error.linkError(reader: "Reader 7")
    #expect(failure.code == code)
    #expect(failure.reason.contains(error.description))
    #expect(failure.reason.contains("Reader 7") == (code != .serviceUnavailable))
  }

  #if PCSC
    /// The header is the oracle: the table has its names and no others.
    @Test func `the table has every error of the installed pcsclite.h with its name and number`() throws {
      let header = try String(contentsOfFile: "/usr/include/PCSC/pcsclite.h", encoding: .utf8)
      let definition = #/^#define\s+(SCARD_[A-Z]_[A-Z_]+)\s+\(\(LONG\)0x([0-9A-F]{8})\)/#.anchorsMatchLineEndings()
      let known = Dictionary(uniqueKeysWithValues: PCSCError.table.map { ($0.name, $0.error) })
      var count = 0
      for match in header.matches(of: definition) {
        let (name, code) = (String(match.1), UInt32(match.2, radix: 16))
        guard name != "SCARD_S_SUCCESS" else { continue }
        count += 1
        // pcsclite.h gives two names to one number.
        let expected = known[name == "SCARD_E_UNEXPECTED" ? "SCARD_E_UNSUPPORTED_FEATURE" : name]
        #expect(expected?.rawValue == code, "\(name)")
      }
      #expect(count == known.count + 1)
    }
  #endif
}
