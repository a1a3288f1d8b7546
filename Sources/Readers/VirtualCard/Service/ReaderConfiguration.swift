internal import Foundation
internal import Links

/// The readers in the configuration of a pcscd.
struct ReaderConfiguration: Sendable {
  let readers: [ReaderEntry]

  /// - Parameter readers: With different names and at most 16 slots in total; other lists trap. Empty for a pcscd that
  ///   finds its readers at a USB bus.
  /// - Throws: `LinkError.Code.readerUnavailable` when a driver is missing.
  init(_ readers: [ReaderEntry]) throws(LinkError) {
    precondition(Set(readers.map(\.friendlyName)).count == readers.count, "two readers of a pcscd have the same name")
    precondition(readers.map(\.slotCount).reduce(0, +) <= 16, "the readers of a pcscd have at most 16 slots")
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

  /// The names of the slots of all readers, as programs see them.
  var slotNames: [String] {
    readers.indices.flatMap { index in
      // Each virtual reader after the first has a copy of the driver, so its number is 0 too.
      let driver = readers[index].driver
      let isCopied = driver == ReaderEntry.virtualReaderDriver
      return readers[index].readerNames(number: isCopied ? 0 : readers[..<index].count { $0.driver == driver })
    }
  }

  /// Writes the configuration into the directory `conf`. It is one file, since pcscd reads several files in no
  /// particular order.
  func write(to directory: String) throws(LinkError) {
    do {
      try FileManager.default.createDirectory(atPath: directory + "/conf", withIntermediateDirectories: true)
      var entries = ""
      for (index, reader) in readers.enumerated() {
        entries += reader.configuration(driver: try driver(index, in: directory)) + "\n"
      }
      try entries.write(toFile: directory + "/conf/readers", atomically: false, encoding: .utf8)
    } catch {
      throw LinkError(.serviceUnavailable, "cannot write the configuration of pcscd to \(directory): \(error)")
    }
  }

  /// The path of a reader's driver. The virtual reader's driver keeps its slots in global variables, so each further
  /// virtual reader needs a copy of the library.
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
