import Foundation
import Octets
import Transcripts

/// Reads a transcript of 100 000 exchanges as a stream, beside `memcpy` and the search for its line feeds, and compares the
/// peak of the memory with that for 1 000 exchanges. Fails when the memory grows with the transcript; times never fail.
@main
struct TranscriptReading {
  static let block = 65_536
  static let rounds = 9
  /// How much the peak of the resident memory may grow, in KiB: a hundredfold transcript has 26 MiB more.
  static let limit = 512

  static func main() throws {
    // The peak is that of a process, so each transcript is read in one of its own.
    if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--read" {
      let count = try stream(URL(filePath: CommandLine.arguments[2]))
      return print("\(count) \(try peak())")
    }
    let (short, long) = (try Recording(exchanges: 1_000), try Recording(exchanges: 100_000))
    defer {
      short.remove()
      long.remove()
    }
    try measure(long)
    let peaks = try [short, long].map { try read($0.file) }
    print("peak of the resident memory in KiB: \(peaks[0]) for 1000 exchanges, \(peaks[1]) for 100000")
    guard peaks[1] - peaks[0] <= limit else {
      print("FAILED: the memory must not grow with the transcript; the limit is \(limit) KiB")
      exit(EXIT_FAILURE)
    }
  }

  /// Reads a file block by block. Returns the number of exchanges.
  static func stream(_ file: URL) throws -> Int {
    let handle = try FileHandle(forReadingFrom: file)
    var scanner = TranscriptScanner()
    var (count, ended) = (0, false)
    while !ended {
      let octets = [UInt8](try handle.read(upToCount: block) ?? Data())
      scanner.append(octets.span)
      if octets.isEmpty { scanner.finish() }
      ended = octets.isEmpty
      count += try responses(&scanner)
    }
    return count
  }

  private static func responses(_ scanner: inout TranscriptScanner) throws -> Int {
    var count = 0
    while let item = try scanner.next() { if item == .response { count += 1 } }
    return count
  }

  private static func measure(_ recording: Recording) throws {
    let octets = [UInt8](try Data(contentsOf: recording.file))
    var copy = [UInt8](repeating: 0, count: octets.count)
    var (sink, rows) = (0, [[Double]](repeating: [], count: 4))
    for round in 0...rounds {
      let times = [
        time { copy.withUnsafeMutableBytes { $0.copyBytes(from: octets) } },
        time { sink += lineFeeds(octets) },
        try time { sink += try scan(octets) },
        try time { sink += try stream(recording.file) },
      ]
      if round > 0 { for (row, time) in times.enumerated() { rows[row].append(Double(octets.count) / time * 1_000) } }
    }
    print("a transcript of 100000 exchanges, \(octets.count) bytes")
    print("MB/s: the least, the median and the most of \(rounds) rounds")
    let names = ["memcpy", "search for line feeds", "TranscriptScanner", "TranscriptScanner from a file"]
    for (name, row) in zip(names, rows) {
      let sorted = row.sorted()
      let cells = [sorted[0], sorted[rounds / 2], sorted[rounds - 1]].map { String(format: "%9.0f", $0) }
      print(name.padding(toLength: 32, withPad: " ", startingAt: 0) + cells.joined())
    }
    guard sink > 0, copy.last == octets.last else { exit(EXIT_FAILURE) }
  }

  private static func lineFeeds(_ octets: [UInt8]) -> Int {
    octets.withUnsafeBytes { memory in
      guard let begin = memory.baseAddress else { return 0 }
      var (count, position) = (0, 0)
      while position < memory.count, let found = memchr(begin + position, 0x0A, memory.count - position) {
        count += 1
        position = begin.distance(to: UnsafeRawPointer(found)) + 1
      }
      return count
    }
  }

  private static func scan(_ octets: [UInt8]) throws -> Int {
    var scanner = TranscriptScanner()
    var (count, position) = (0, 0)
    while position < octets.count {
      scanner.append(octets.span.extracting(position..<min(position + block, octets.count)))
      count += try responses(&scanner)
      position += block
    }
    scanner.finish()
    return count + (try responses(&scanner))
  }

  private static func time(_ body: () throws -> Void) rethrows -> Double {
    let clock = SystemClock()
    let begun = clock.now.nanoseconds
    try body()
    return Double(clock.now.nanoseconds - begun)
  }

  private static func read(_ file: URL) throws -> Int {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = ["--read", file.path]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let peak = text.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
    guard process.terminationStatus == 0, let peak else {
      print("FAILED: the transcript was not read: \(text)")
      exit(EXIT_FAILURE)
    }
    return peak
  }

  /// The peak of this process's resident memory in KiB.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
