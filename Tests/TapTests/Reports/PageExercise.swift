import Foundation
import TestSupport
import Testing

/// A page of a report in a real browser, at the sizes that its reader has.
struct PageExercise {
  /// The sizes of a desk and of a phone, in pixels.
  static let sizes = [(width: 1_400, height: 900), (width: 420, height: 800)]

  let browser: WebDriver
  let path: String

  init(_ path: String, in scratch: Scratch) throws {
    browser = try WebDriver(in: scratch)
    self.path = path
  }

  /// Shows the page at a size, light or dark, and expects that it is whole: its style is in force, the console is empty, and
  /// nothing is wider than the screen.
  func show(width: Int, height: Int, isDark: Bool = false) throws {
    try browser.emulate(width: width, height: height, isDark: isDark)
    try browser.open("file://\(path)")
    #expect(try browser.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") == "1152px")
    #expect(try browser.evaluate("String(document.documentElement.scrollWidth)") == "\(width)", "\(path)")
    #expect(try browser.console() == "[]")
  }

  /// Shows the page at all sizes, light and dark, and expects that its text is readable.
  func showEverywhere() throws {
    var colours: Set<String> = []
    for size in Self.sizes {
      for isDark in [false, true] {
        try show(width: size.width, height: size.height, isDark: isDark)
        colours.insert(try browser.evaluate("getComputedStyle(document.body).backgroundColor"))
        #expect(try unreadableTexts() == "", "\(path)")
      }
    }
    #expect(colours.count == 2)
  }

  /// The lower edge in pixels of the first element that a selector finds.
  func bottom(of selector: String) throws -> Double {
    let expression = "String(document.querySelector(\"\(selector)\").getBoundingClientRect().bottom)"
    return try #require(Double(browser.evaluate(expression)))
  }

  /// The text of the first element that a selector finds, as far as it is shown.
  func text(_ selector: String) throws -> String {
    try browser.evaluate("document.querySelector(\"\(selector)\").innerText")
  }

  /// The texts whose contrast with their background is below 4.5 (WCAG 2.2, 1.4.3), or whose type is smaller than 10 px.
  private func unreadableTexts() throws -> String {
    try browser.evaluate(
      """
      (() => {
        const parts = text => text.match(/[0-9.]+/g).map(Number);
        const light = colour => {
          const [r, g, b] = parts(colour).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = element => {
          for (let e = element; e; e = e.parentElement) {
            const colour = getComputedStyle(e).backgroundColor;
            if (parts(colour).length < 4 || parts(colour)[3] > 0) return colour;
          }
          return 'rgb(255, 255, 255)';
        };
        const found = new Set();
        for (const element of document.querySelectorAll('main *')) {
          const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
          if (!own || !element.checkVisibility()) continue;
          const style = getComputedStyle(element);
          const colour = element.namespaceURI.endsWith('svg') ? style.fill : style.color;
          const [a, b] = [light(colour), light(ground(element))];
          const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          if (contrast < 4.5 || parseFloat(style.fontSize) < 10)
            found.add(`${element.tagName} ${element.className} ${contrast.toFixed(2)} ${style.fontSize}`);
        }
        return [...found].join('; ');
      })()
      """)
  }
}
