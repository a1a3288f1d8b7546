import Foundation
import Octets
import TestSupport
import Testing

/// PNG files that no program would write (PNG specification, section 5).
enum PNGFile {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// A greyscale image of a size without pixels.
  static func image(width: Int, height: Int) -> [UInt8] {
    let size = [width, height].flatMap { bigEndian(UInt32($0)) }
    return signature + chunk("IHDR", size + [8, 0, 0, 0, 0]) + chunk("IDAT", [0x78, 0x9C]) + chunk("IEND", [])
  }

  /// A white image that is square.
  static func white(side: Int) throws -> [UInt8] {
    try python("row = b'\\0' + b'\\xff' * \(side)\nwrite(\(side), part(b'IDAT', zlib.compress(row * \(side))))")
  }

  /// An image of one pixel with a chunk of which 256 MB are left after decompression.
  static func bomb(_ kind: String) throws -> [UInt8] {
    let name = kind == "IDAT" ? "b''" : "b'name\\0\\0'"
    return try python(
      """
      packer = zlib.compressobj(1)
      bomb = b''.join(packer.compress(b'a' * (1 << 20)) for _ in range(1 << 8)) + packer.flush()
      pixels = b'' if '\(kind)' == 'IDAT' else part(b'IDAT', zlib.compress(b'\\0\\xff'))
      write(1, part(b'\(kind)', \(name) + bomb) + pixels)
      """)
  }

  /// The most memory that this process has held so far, in MB.
  static func residentMegabytes() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1_024
  }

  private static func python(_ script: String) throws -> [UInt8] {
    let path = try Scratch()
    let file = path.path("image.png")
    let run = try ProgramRun(
      "/usr/bin/python3",
      [
        "-c",
        """
        import struct, sys, zlib
        def part(kind, content):
          crc = zlib.crc32(kind + content)
          return struct.pack('>I', len(content)) + kind + content + struct.pack('>I', crc)
        def write(side, parts):
          head = part(b'IHDR', struct.pack('>IIBBBBB', side, side, 8, 0, 0, 0, 0))
          open('\(file)', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + head + parts + part(b'IEND', b''))
        \(script)
        """,
      ])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    return [UInt8](try Data(contentsOf: URL(filePath: file)))
  }

  private static func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(kind.utf8) + content
    return bigEndian(UInt32(content.count)) + body + bigEndian(checksum(body))
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
  }

  /// CRC-32 (PNG specification, annex D).
  private static func checksum(_ octets: [UInt8]) -> UInt32 {
    var remainder = UInt32.max
    for octet in octets {
      remainder ^= UInt32(octet)
      for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
    }
    return ~remainder
  }
}
