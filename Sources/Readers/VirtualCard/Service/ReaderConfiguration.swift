internal import Foundation
internal import Links

/// The readers of a pcscd, as its configuration names them.
struct ReaderConfiguration: Sendable {
  let readers: [ReaderEntry]

  /// - Parameter readers: At least one, of different names and at most 16 slots in all; others trap.
  /// - Throws: `LinkError.Code.readerUnavailable` when a driver is missing.
  init(_ readers: [ReaderEntry]) throws(LinkError) {
    precondition(!readers.isEmpty && Set(readers.map(\.friendlyName)).count == readers.count, "readers differ in name")
    precondition(readers.map(\.slotCount).reduce(0, +) <= 16, "pcscd has room for 16 slots")
    for reader in readers where !FileManager.default.isReadableFile(atPath: reader.driver) {
      throw Self.missingDriver(of: reader)
    }
    self.readers = readers
  }

  private static func missingDriver(of reader: ReaderEntry) -> LinkError {
    let remedy =
      reader.driver == ReaderEntry.virtualReaderDriver ? "apt-get install -y vsmartcard-vpcd" : "see the entry's path"
    return LinkError(
      .readerUnavailable, "the driver \(reader.driver) of the reader \(reader.friendlyName) is missing: \(remedy)")
  }

  /// What programs call the slots of all readers.
  var slotNames: [String] {
    readers.indices.flatMap { index in
      // Each further virtual reader has a driver of its own, a copy.
      let driver = readers[index].driver
      let isCopied = driver == ReaderEntry.virtualReaderDriver
      return readers[index].readerNames(number: isCopied ? 0 : readers[..<index].count { $0.driver == driver })
    }
  }

  /// Writes the configuration into the directory `conf` of a directory: one file, since pcscd reads those of a directory
  /// in no particular order.
  func write(to directory: String) throws(LinkError) {
    do {
      try FileManager.default.createDirectory(atPath: directory + "/conf", withIntermediateDirectories: true)
      var entries = ""
      for (index, reader) in readers.enumerated() {
        entries += reader.configuration(driver: try driver(index, in: directory)) + "\n"
      }
      try entries.write(toFile: directory + "/conf/readers", atomically: false, encoding: .utf8)
    } catch {
      throw LinkError(.serviceUnavailable, "cannot write pcscd's configuration to \(directory): \(error)")
    }
  }

  /// The virtual reader's driver keeps its slots in variables of the library: two readers need two libraries.
  private func driver(_ index: Int, in directory: String) throws -> String {
    let driver = readers[index].driver
    guard index > 0, driver == ReaderEntry.virtualReaderDriver else { return driver }
    let copy = "\(directory)/driver-\(index).so"
    if !FileManager.default.fileExists(atPath: copy) {
      let library = URL(filePath: driver).resolvingSymlinksInPath()
      try FileManager.default.copyItem(at: library, to: URL(filePath: copy))
    }
    return copy
  }
}
