public import Links
internal import Octets

extension NFCDevice {
  /// Opens a device, and waits for a program that still holds it: one that has just ended needs a moment to leave the
  /// device in order. Blocks.
  ///
  /// - Parameters:
  ///   - connstring: libnfc's name for the device.
  ///   - patience: The longest wait.
  ///   - report: Called once, with the error, when another program holds the device.
  /// - Throws: `LinkError`: `.busy` when the device is still held after `patience`, and what `init` throws.
  public static func open(
    _ connstring: String, patience: Duration, report: (LinkError) -> Void
  ) throws(LinkError) -> NFCDevice {
    let deadline = SystemClock().now + patience
    var isReported = false
    while true {
      do throws(LinkError) {
        return try NFCDevice(connstring)
      } catch {
        guard error.code == .busy, SystemClock().now < deadline else { throw error }
        if !isReported { report(error) }
        isReported = true
        pause(for: .milliseconds(100))
      }
    }
  }
}
