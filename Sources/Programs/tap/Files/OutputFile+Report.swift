import POSIX
import ProgramSupport

extension OutputFile {
  /// Writes a file beside what the command prints, and names it on standard error.
  func writeAndReport(_ octets: some Collection<UInt8>) throws(FileError) {
    try write(octets)
    Console.note("Wrote \(path)")
  }
}
