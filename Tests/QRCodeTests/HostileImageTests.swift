import Foundation
import Octets
import QRCode
import TestSupport
import Testing

@Suite("PNG files that are damaged or hostile", .blocks, .timeLimit(.minutes(20)))
struct HostileImageTests {
  static func reason(_ octets: [UInt8]) -> QRCodeError? {
    do throws(QRCodeError) {
      _ = try QRCode.text(inPNG: octets)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    [], [0x89], Array("hello".utf8), Array("GIF89a\u{1}\u{0}\u{1}\u{0}".utf8), [0xFF, 0xD8, 0xFF, 0xE0],
    [UInt8](repeating: 0, count: 4_096), PNGFile.signature,
  ])
  func `a file of another kind is refused`(_ octets: [UInt8]) {
    guard case .notAnImage(let reason) = Self.reason(octets) else { return #expect(Bool(false)) }
    #expect(!reason.isEmpty)
  }

  @Test func `a file that was cut off at any byte of its content is refused`() throws {
    let whole = try QRCode.png(of: "cut")
    // Without its last chunk, IEND, the image is complete.
    for count in 0..<whole.count - 16 {
      guard case .notAnImage = Self.reason(Array(whole.prefix(count))) else {
        return #expect(Bool(false), "\(count) of \(whole.count) bytes are read")
      }
    }
  }

  @Test func `a byte that was changed anywhere is refused or read as another image, and never traps`() throws {
    let whole = try QRCode.png(of: "flip")
    var generator = SplitMix64(seed: 11)
    for index in whole.indices {
      var octets = whole
      octets[index] ^= UInt8.random(in: 1...255, using: &generator)
      _ = Self.reason(octets)
    }
  }

  @Test(arguments: [(4_097, 1), (1, 4_097), (1_000_000, 1_000_000), (60_000, 60_000)])
  func `an image of too many pixels is refused by its header`(_ size: (Int, Int)) {
    let file = PNGFile.image(width: size.0, height: size.1)
    #expect(Self.reason(file) == .imageTooLarge(width: size.0, height: size.1))
  }

  @Test(arguments: [(0, 1), (1, 0), (0x7FFF_FFFF, 1), (0xFFFF_FFFF, 0xFFFF_FFFF)])
  func `a size that PNG or libpng does not allow is refused`(_ size: (Int, Int)) {
    guard case .notAnImage = Self.reason(PNGFile.image(width: size.0, height: size.1)) else {
      return #expect(Bool(false))
    }
  }

  @Test func `an image of the largest size without its pixels is refused`() {
    guard case .notAnImage = Self.reason(PNGFile.image(width: maximumSide, height: maximumSide)) else {
      return #expect(Bool(false))
    }
  }

  @Test func `a file of too many bytes is refused`() {
    let file = [UInt8](repeating: 0, count: maximumFileSize + 1)
    #expect(Self.reason(file) == .fileTooLarge(bytes: maximumFileSize + 1))
    guard case .notAnImage = Self.reason(Array(file.dropLast())) else { return #expect(Bool(false)) }
  }

  @Test(arguments: [1, 8, 100, maximumSide])
  func `a white image has no code`(_ side: Int) throws {
    #expect(Self.reason(try PNGFile.white(side: side)) == .noCode)
  }

  /// 256 MB of text, colour profile or pixels in a few bytes.
  @Test(arguments: ["zTXt", "iCCP", "IDAT"])
  func `a compression bomb needs less than 100 MB of memory`(_ chunk: String) throws {
    let bomb = try PNGFile.bomb(chunk)
    // Other tests of this process use memory in the meantime, but not each time.
    let growths = (0..<5).map { _ in
      let before = PNGFile.residentMegabytes()
      _ = Self.reason(bomb)
      return PNGFile.residentMegabytes() - before
    }
    #expect(growths.contains { $0 < 100 }, "\(growths)")
  }
}
