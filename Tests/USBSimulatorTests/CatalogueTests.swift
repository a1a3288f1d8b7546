import Documents
import Fixtures
import Foundation
import Links
import TestSupport
import Testing
@testable import USBSimulator

extension USBReaderTests {
  /// The readers of `Fixtures/Readers` under the real driver.
  @Suite struct CatalogueTests {
    /// The vendors and products that the installed libccid knows.
    static func known() throws -> Set<String> {
      let list = try String(
        contentsOfFile: "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist", encoding: .utf8)
      let values = { (key: String) -> [String] in
        guard let start = list.range(of: "<key>\(key)</key>"),
          let end = list.range(of: "</array>", range: start.upperBound..<list.endIndex)
        else { return [] }
        return list[start.upperBound..<end.lowerBound].components(separatedBy: "<string>0x").dropFirst()
          .map { $0.prefix(4).lowercased() }
      }
      return Set(zip(values("ifdVendorID"), values("ifdProductID")).map { "\($0):\($1)" })
    }

    static func documents() throws -> [(file: String, reader: ReaderDocument)] {
      try Fixtures.names(in: "Readers", ending: ".json").map {
        (file: $0, reader: try ReaderDocument(parsing: Array(Fixtures.data("Readers/\($0)"))))
      }
    }

    @Test func `every shape of reader that libccid knows carries commands to a card`() throws {
      let known = try Self.known()
      let scratch = try Scratch()
      let (short, long) = (try scratch.write("short", "00B2010C01\n"), try scratch.write("long", "00B2020C00\n"))
      var shapes: [String] = []
      for (file, document) in try Self.documents() {
        // Readers whose descriptors have the same values are one shape for the driver.
        guard known.contains(document.identifier), !shapes.contains(document.shape) else {
          continue
        }
        shapes.append(document.shape)
        let device = try document.device()
        do {
          let bench = try USBBench()
          let name = try #require(bench.plug(device).first)
          let (link, card) = try bench.insert(in: device)
          for script in document.carriesLongResponses ? [short, long] : [short] {
            let sent = try bench.send(script, to: name)
            #expect(sent.output.contains("90 00 : Normal processing"), "\(file): \(sent.output)\(sent.errors)")
          }
          link.stop()
          try card.join()
        } catch { Issue.record("\(file): \(error)") }
      }
      #expect(shapes.count >= 30, "\(shapes)")
    }

    @Test func `a document names every problem with its place`() {
      let text = #"{"vendor": "72F", "product": "223B", "release": "0100", "interfaces": [], "colour": 1}"#
      do {
        _ = try ReaderDocument(parsing: Array(text.utf8))
        Issue.record("a wrong document was read")
      } catch { #expect(error.problems.count >= 3, "\(error)") }
    }
  }
}

extension ReaderDocument {
  /// Whether a response of 258 bytes fits: a reader that exchanges short APDUs sends it in one message of at most this length.
  fileprivate var carriesLongResponses: Bool {
    interfaces.allSatisfy { $0.description.level != .shortAPDU || $0.description.maximumMessageCount >= 268 }
  }

  /// What the driver's work depends on: how each interface exchanges, its longest message, its slots and its endpoints.
  fileprivate var shape: String {
    interfaces.map { interface in
      let description = interface.description
      return
        "\(description.level) \(description.maximumMessageCount) \(description.maximumSlotIndex) \(interface.hasInterrupts)"
    }.joined(separator: ", ")
  }
}
